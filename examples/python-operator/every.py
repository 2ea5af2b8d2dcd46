"""An Every makes a Job every so many minutes, unless the last one still runs, and keeps the last
three. Between two of them nothing runs: `requeueAfter` is the only clock.

    npx fnlet operator deploy every.py
"""

from datetime import datetime, timedelta

from fnlet.operator import Job, as_is, define_kind, operator, ready

Every = define_kind(
    "example.dev/v1",
    "Every",
    plural="everies",
    description="A Job every so many minutes.",
    spec={
        "minutes": {"type": "integer", "minimum": 1, "maximum": 10080},
        "image": {"type": "string", "default": "python:3.13-slim"},
        "command": {"type": "array", "items": {"type": "string"}},
    },
    required=["minutes", "command"],
    status={"last": {"type": "string", "format": "date-time"}},
    columns={"Last": ".status.last"},
)


def is_over(job):
    conditions = job.get("status", {}).get("conditions", [])
    return any(one["type"] in ("Complete", "Failed") for one in conditions)


@operator(Every, owns=[Job.keep("status.conditions")])
def everies(request):
    spec, name = request.object["spec"], request.object["metadata"]["name"]
    last, pause = request.object.get("status", {}).get("last"), timedelta(minutes=spec["minutes"])
    due = request.time if last is None else datetime.fromisoformat(last) + pause
    jobs = sorted(request.children(Job), key=lambda job: job["metadata"]["name"], reverse=True)
    wanted = [as_is(job) for job in jobs[:3]]
    if request.time < due:
        seconds = (due - request.time).total_seconds()
        return {"children": wanted, "requeueAfter": f"{seconds}s"}
    if all(is_over(job) for job in jobs):
        # The same time gives the same name: a run that is repeated makes no second Job.
        number = int(request.time.timestamp()) // 60
        container = {"name": "job", "image": spec["image"], "command": spec["command"]}
        template = {"spec": {"restartPolicy": "Never", "containers": [container]}}
        wanted.append(Job.of(f"{name}-{number}", spec={"template": template}))
    return {
        "children": wanted,
        "status": {"last": request.now},
        "conditions": [ready()],
        "requeueAfter": f"{spec['minutes']}m",
    }
