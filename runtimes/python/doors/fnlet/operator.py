"""What operators import as `fnlet.operator`.

    from fnlet.operator import ConfigMap, define_kind, operator, ready

    Greeting = define_kind(
        "example.dev/v1", "Greeting", description="A greeting in a ConfigMap.",
        spec={"name": {"type": "string"}}, required=["name"],
    )

    @operator(Greeting, owns=[ConfigMap])
    def greetings(request):
        name = request.object["metadata"]["name"]
        text = f"Hello, {request.object['spec']['name']}!"
        return {"children": [ConfigMap.of(name, data={"text": text})], "conditions": [ready()]}

An operator is asked what is wanted for an object, with what is there, and answers with a dict of
`children`, `status`, `conditions`, `events`, `requeueAfter` ("30s"), `require`, `finalized`: all of
them may be left out. docs/operator-contract.md tells what each means.
"""

from collections.abc import Awaitable, Callable, Iterable, Iterator
from datetime import datetime

from .kinds import (
    ConfigMap,
    CronJob,
    DaemonSet,
    Deployment,
    HorizontalPodAutoscaler,
    Ingress,
    Job,
    Kind,
    Namespace,
    NetworkPolicy,
    Node,
    Object,
    PersistentVolumeClaim,
    Pod,
    Role,
    RoleBinding,
    Secret,
    Service,
    ServiceAccount,
    StatefulSet,
    View,
    Watch,
    define_kind,
)
from .predicate import (
    Predicate,
    annotations_changed,
    cel,
    generation_changed,
    labels_changed,
    resource_version_changed,
)

__all__ = [
    "ConfigMap", "CronJob", "DaemonSet", "Deployment", "HorizontalPodAutoscaler", "Ingress", "Job",
    "Kind", "Namespace", "NetworkPolicy", "Node", "ObjectSet", "Operator", "PersistentVolumeClaim",
    "Pod", "Predicate", "Request", "Role", "RoleBinding", "Secret", "Service", "ServiceAccount",
    "StatefulSet", "Terminal", "UndeclaredKind", "View", "Watch", "annotations_changed", "as_is",
    "cel",
    "define_kind", "done", "generation_changed", "labels_changed", "operator", "progressing",
    "ready", "resource_version_changed",
]

Answer = dict | None
Function = Callable[["Request"], Answer | Awaitable[Answer]]


class Terminal(Exception):
    """Raise it when trying again cannot help before something changes."""


class UndeclaredKind(Exception):
    """The operator does not declare that it looks at this kind."""


class ObjectSet:
    """Objects of one kind."""

    def __init__(self, objects: list[Object], home: str) -> None:
        self._objects = objects
        self._home = home

    def get(self, name: str, namespace: str | None = None) -> Object | None:
        """Without a namespace: in that of the object that is reconciled, or in none."""
        places = ("", self._home) if namespace is None else (namespace,)
        for found in self._objects:
            metadata = found["metadata"]
            if metadata["name"] == name and metadata.get("namespace", "") in places:
                return found
        return None

    def __iter__(self) -> Iterator[Object]:
        return iter(self._objects)

    def __len__(self) -> int:
        return len(self._objects)


class Request:
    """What a run gets to see. The same request gives the same answer."""

    def __init__(
        self, operator: "Operator", call: dict, is_cancelled: Callable[[], bool] = lambda: False
    ) -> None:
        self._operator = operator
        self._call = call
        self._is_cancelled = is_cancelled
        # Whether the answer may depend on the children: from the first look at them on.
        self.children_read = False
        self.object: Object = call["object"]
        # 1 for the first try, 2 for the first retry, …
        self.attempt: int = call.get("attempt", 1)
        # The same for every try of one run: for what must not be done twice outside the cluster.
        self.idempotency_key: str = call["run"]
        # RFC 3339: data, so that a run can be repeated.
        self.now: str = call["now"]

    @classmethod
    def of(
        cls,
        operator: "Operator",
        object: Object,
        children: Iterable[Object] = (),
        related: Iterable[Object] = (),
        now: str = "2026-01-01T00:00:00Z",
    ) -> "Request":
        """For tests: a first try with these objects."""
        call = {"object": object, "children": list(children), "related": list(related)}
        return cls(operator, {**call, "run": "test", "now": now})

    @property
    def time(self) -> datetime:
        return datetime.fromisoformat(self.now)

    @property
    def cancelled(self) -> bool:
        """Whether nobody waits for the answer any more."""
        return self._is_cancelled()

    def children(self, kind: Kind) -> ObjectSet:
        """Children that are there, of a kind that the operator owns."""
        self.children_read = True
        if not any(_same(kind, owned.kind) for owned in self._operator.owns):
            raise self._undeclared(kind, "owns")
        return self._of(kind, "children")

    def related(self, kind: Kind) -> ObjectSet:
        """Objects of a kind that it watches, or that an earlier answer of this run required."""
        is_watched = any(_same(kind, watch.view.kind) for watch in self._operator.watches)
        required = self._call.get("required") or []
        if not is_watched and not any(kind.matches(one) for one in required):
            raise self._undeclared(kind, "watches")
        return self._of(kind, "related")

    def _of(self, kind: Kind, where: str) -> ObjectSet:
        objects = [one for one in self._call.get(where) or [] if kind.matches(one)]
        return ObjectSet(objects, self.object["metadata"].get("namespace", ""))

    def _undeclared(self, kind: Kind, where: str) -> UndeclaredKind:
        found = f'operator "{self._operator.name}" does not declare it'
        return UndeclaredKind(
            f'Cannot look at {kind.full_name}: {found}. Name it in "{where}" of the operator'
        )


def _same(one: Kind, other: Kind) -> bool:
    return one.kind == other.kind and one.group == other.group


class Operator:
    """How the objects of one kind are made true; made with `operator`."""

    def __init__(
        self,
        kind: Kind,
        reconcile: Function,
        *,
        name: str | None,
        owns: Iterable[Kind | View],
        watches: Iterable[Watch],
        **terms: object,
    ) -> None:
        self.kind = kind
        self.reconcile = reconcile
        self.name = name or (f"{kind.plural}.{kind.group}" if kind.group else kind.plural)
        self.owns = [one if isinstance(one, View) else View(one) for one in owns]
        self.watches = list(watches)
        self._terms = terms
        self._cleanup: Function | None = None

    def cleanup(self, function: Function) -> Function:
        """Decorates what takes back, before an object goes, what was done outside the cluster; it
        answers `done()` when nothing is left. With it, a finalizer is kept on the objects."""
        self._cleanup = function
        return function

    def ask(self, what: str, request: Request) -> Answer | Awaitable[Answer]:
        """`what` is reconcile or cleanup."""
        if what == "reconcile":
            return self.reconcile(request)
        return done() if self._cleanup is None else self._cleanup(request)

    def __call__(self, request: Request) -> Answer | Awaitable[Answer]:
        return self.reconcile(request)

    def declaration(self) -> dict:
        """All that it says about itself, as JSON."""
        terms = {key: value for key, value in self._terms.items() if value is not None}
        when = terms.pop("when", None)
        return {
            "name": self.name,
            "for": self.kind.declaration(),
            "owns": [view.declaration() for view in self.owns],
            "watches": [watch.declaration() for watch in self.watches],
            "cleanup": self._cleanup is not None,
            **({} if not isinstance(when, Predicate) else {"when": when.declared}),
            **terms,
        }


def operator(
    for_: Kind,
    *,
    name: str | None = None,
    when: Predicate | None = None,
    select: str | None = None,
    namespaces: list[str] | None = None,
    owns: Iterable[Kind | View] = (),
    watches: Iterable[Watch] = (),
    finalizer: bool | None = None,
    concurrency: int | None = None,
    deadline: str | None = None,
    resync: str | None = None,
    backoff: dict | None = None,
) -> Callable[[Function], Operator]:
    """Decorates the function that says what is wanted for an object of this kind.

    `when`: which changes are worth a run (default: of the generation). `select`: a label selector.
    `owns`: kinds of children, which are observed, applied and pruned. `watches`: other objects,
    `Secret.map_to(…)`. `deadline` of a run ("10s"), `resync` ("10h"), `backoff`
    ({"base": "5ms", "cap": "1000s", "attempts": 5}), `concurrency`: as the kind Operator has them.
    """

    def decorate(function: Function) -> Operator:
        return Operator(
            for_,
            function,
            name=name,
            owns=owns,
            watches=watches,
            when=when,
            select=select,
            namespaces=namespaces,
            finalizer=finalizer,
            concurrency=concurrency,
            deadline=deadline,
            resync=resync,
            backoff=backoff,
        )

    return decorate


def as_is(child: Object) -> dict:
    """A child that stays as it is, such as a Job that runs: it is neither written nor deleted."""
    metadata = {
        key: value for key, value in child["metadata"].items() if key in ("name", "namespace")
    }
    reference = {"apiVersion": child["apiVersion"], "kind": child["kind"], "metadata": metadata}
    return {"object": reference, "asIs": True}


def done() -> dict:
    """Of a cleanup: nothing is left to do, the object may go."""
    return {"finalized": True}


def ready(message: str = "Everything that was asked for is there.") -> dict:
    """A condition: what was asked for is there."""
    return {"type": "Ready", "status": "True", "reason": "Ready", "message": message}


def progressing(reason: str, message: str = "") -> dict:
    """A condition: not ready yet, and why."""
    return {"type": "Ready", "status": "False", "reason": reason, "message": message}
