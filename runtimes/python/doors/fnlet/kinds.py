"""Kinds of Kubernetes objects, as operators name and make them. Objects are dicts."""

from collections.abc import Callable, Iterable, Mapping

Object = dict
Key = dict
Mapped = Key | str | None | Iterable[Key | str]


class View:
    """The objects of a kind as far as somebody is interested in them."""

    def __init__(
        self, kind: "Kind", fields: tuple[str, ...] | None = None, labels: str | None = None
    ) -> None:
        self.kind = kind
        self.fields = fields
        self.labels = labels

    def keep(self, *paths: str) -> "View":
        """Only these fields of each object, such as `keep("status.readyReplicas")`."""
        return View(self.kind, (*(self.fields or ()), *paths), self.labels)

    def select(self, labels: str) -> "View":
        """Only the objects with these labels, such as `app=web,tier in (a, b)`."""
        both = labels if self.labels is None else f"{self.labels},{labels}"
        return View(self.kind, self.fields, both)

    def map_to(self, mapping: str | Callable[[Object], Mapped]) -> "Watch":
        """Whom a change concerns: CEL over `object`, which a hub evaluates without waking anybody,
        or a function of the object. Either gives a name, `{"name": …, "namespace": …}`, a list of
        such, or None."""
        return Watch(self, mapping)

    def declaration(self) -> dict:
        return {
            "kind": self.kind.declaration(),
            "fields": None if self.fields is None else list(self.fields),
            "labels": self.labels,
        }


class Watch:
    """Objects whose changes concern others."""

    def __init__(self, view: View, mapping: str | Callable[[Object], Mapped]) -> None:
        self.view = view
        self.mapping = mapping

    def keys_of(self, changed: Object) -> list[Key]:
        """Whom it concerns. Raises TypeError where only CEL says that."""
        if isinstance(self.mapping, str):
            raise TypeError("Cannot map an object: found CEL, expected a function")
        mapped = self.mapping(changed)
        if mapped is None:
            return []
        keys = [mapped] if isinstance(mapped, (str, dict)) else list(mapped)
        return [{"name": key} if isinstance(key, str) else key for key in keys]

    def declaration(self) -> dict:
        expression = self.mapping if isinstance(self.mapping, str) else None
        return {**self.view.declaration(), "expression": expression}


class Kind:
    """A kind of objects: `Kind("cert-manager.io/v1", "Certificate")`."""

    def __init__(
        self,
        api_version: str,
        kind: str,
        plural: str | None = None,
        scope: str = "Namespaced",
        crd: dict | None = None,
    ) -> None:
        self.api_version = api_version
        self.kind = kind
        self.group, _, self.version = api_version.rpartition("/")
        self.plural = plural or plural_of(kind)
        self.scope = scope
        # The manifest that teaches it a cluster, of a kind of one's own.
        self.crd = crd

    def of(
        self,
        name: str,
        namespace: str | None = None,
        labels: Mapping[str, str] | None = None,
        annotations: Mapping[str, str] | None = None,
        **fields: object,
    ) -> Object:
        """What is wanted of an object: only fields that are given are owned and kept so."""
        given = {"namespace": namespace, "labels": labels, "annotations": annotations}
        set_ones = {key: value for key, value in given.items() if value is not None}
        metadata = {"name": name, **set_ones}
        return {"apiVersion": self.api_version, "kind": self.kind, "metadata": metadata, **fields}

    def require(
        self, name: str | None = None, namespace: str | None = None, labels: str | None = None
    ) -> dict:
        """An item of `require` in an answer: one object, or all with these labels."""
        given = {"name": name, "namespace": namespace, "labels": labels}
        set_ones = {key: value for key, value in given.items() if value is not None}
        return {"apiVersion": self.api_version, "kind": self.kind, **set_ones}

    def keep(self, *paths: str) -> View:
        return View(self).keep(*paths)

    def select(self, labels: str) -> View:
        return View(self).select(labels)

    def map_to(self, mapping: str | Callable[[Object], Mapped]) -> Watch:
        return View(self).map_to(mapping)

    def matches(self, found: Object) -> bool:
        """Whether an object is of this kind, in whatever version."""
        group = str(found.get("apiVersion", "")).rpartition("/")[0]
        return found.get("kind") == self.kind and group == self.group

    @property
    def full_name(self) -> str:
        return f"{self.kind}.{self.group}" if self.group else self.kind

    def declaration(self) -> dict:
        return {
            "group": self.group,
            "version": self.version,
            "kind": self.kind,
            "plural": self.plural,
            "scope": self.scope,
            "crd": self.crd,
        }

    def __repr__(self) -> str:
        return f"Kind({self.api_version!r}, {self.kind!r})"


def plural_of(kind: str) -> str:
    """As Kubernetes forms it."""
    word = kind.lower()
    if word.endswith(("s", "x", "z", "ch", "sh")):
        return f"{word}es"
    if word.endswith("y") and word[-2:-1] not in "aeiou":
        return f"{word[:-1]}ies"
    return f"{word}s"


def define_kind(
    api_version: str,
    kind: str,
    *,
    description: str,
    spec: Mapping[str, dict],
    required: Iterable[str] = (),
    status: Mapping[str, dict] | None = None,
    columns: Mapping[str, str] | None = None,
    plural: str | None = None,
    scope: str = "Namespaced",
    short_names: Iterable[str] = (),
) -> Kind:
    """A kind of one's own.

    `spec` and `status` give each field's schema, as OpenAPI 3 has it; `required` names the fields
    of the spec that must be there. `conditions` and `observedGeneration` are added to the status,
    the columns Ready and Age to the `columns`, which are JSON paths by header.
    """
    made = Kind(api_version, kind, plural, scope)
    names: dict = {
        "kind": kind,
        "listKind": f"{kind}List",
        "plural": made.plural,
        "singular": kind.lower(),
    }
    if short_names:
        names["shortNames"] = list(short_names)
    spec_schema: dict = {"type": "object", "properties": dict(spec)}
    if required:
        spec_schema["required"] = list(required)
    version = {
        "name": made.version,
        "served": True,
        "storage": True,
        "schema": {"openAPIV3Schema": _root(description, spec_schema, status or {})},
        "subresources": {"status": {}},
        "additionalPrinterColumns": [
            *({"name": name, "type": "string", "jsonPath": path}
              for name, path in (columns or {}).items()),
            {"name": "Ready", "type": "string", "jsonPath": _READY},
            {"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"},
        ],
    }
    made.crd = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{made.plural}.{made.group}"},
        "spec": {"group": made.group, "scope": scope, "names": names, "versions": [version]},
    }
    return made


_READY = '.status.conditions[?(@.type=="Ready")].status'

_conditions = {
    "type": "array",
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["type"],
    "items": {
        "type": "object",
        "required": ["type", "status"],
        "properties": {
            "type": {"type": "string", "maxLength": 316},
            "status": {"type": "string", "enum": ["True", "False", "Unknown"]},
            "reason": {"type": "string", "maxLength": 1024},
            "message": {"type": "string", "maxLength": 32768},
            "lastTransitionTime": {"type": "string", "format": "date-time"},
            "observedGeneration": {"type": "integer", "format": "int64"},
        },
    },
}


def _root(description: str, spec: dict, status: Mapping[str, dict]) -> dict:
    kept = {"observedGeneration": {"type": "integer", "format": "int64"}, "conditions": _conditions}
    return {
        "type": "object",
        "description": description,
        "required": ["spec"],
        "properties": {
            "apiVersion": {"type": "string"},
            "kind": {"type": "string"},
            "metadata": {"type": "object"},
            "spec": spec,
            "status": {"type": "object", "properties": {**kept, **status}},
        },
    }


ConfigMap = Kind("v1", "ConfigMap")
CronJob = Kind("batch/v1", "CronJob")
DaemonSet = Kind("apps/v1", "DaemonSet")
Deployment = Kind("apps/v1", "Deployment")
HorizontalPodAutoscaler = Kind("autoscaling/v2", "HorizontalPodAutoscaler")
Ingress = Kind("networking.k8s.io/v1", "Ingress")
Job = Kind("batch/v1", "Job")
Namespace = Kind("v1", "Namespace", scope="Cluster")
NetworkPolicy = Kind("networking.k8s.io/v1", "NetworkPolicy")
Node = Kind("v1", "Node", scope="Cluster")
PersistentVolumeClaim = Kind("v1", "PersistentVolumeClaim")
Pod = Kind("v1", "Pod")
Role = Kind("rbac.authorization.k8s.io/v1", "Role")
RoleBinding = Kind("rbac.authorization.k8s.io/v1", "RoleBinding")
Secret = Kind("v1", "Secret")
Service = Kind("v1", "Service")
ServiceAccount = Kind("v1", "ServiceAccount")
StatefulSet = Kind("apps/v1", "StatefulSet")
