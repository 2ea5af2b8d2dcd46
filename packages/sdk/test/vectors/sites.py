"""The contract's operator; see README.md."""

import time

from fnlet.operator import ConfigMap, Deployment, Kind, Secret, Terminal, done, operator


def site_of(secret):
    metadata = secret["metadata"]
    if "site" in metadata.get("labels", {}):
        return metadata["labels"]["site"]
    if "shared" in metadata.get("annotations", {}):
        return [{"name": "shared", "namespace": "kube-public"}]
    return None


def names(objects):
    return [one["metadata"]["name"] for one in objects]


@operator(Kind("example.dev/v1", "Site"), owns=[ConfigMap], watches=[Secret.map_to(site_of)])
def sites(request):
    spec = request.object["spec"]
    if "throw" in spec:
        raise ValueError(spec["throw"])
    if "terminal" in spec:
        raise Terminal(spec["terminal"])
    if spec.get("look"):
        request.children(Deployment)
    if spec.get("count"):
        request.children(ConfigMap)
    while spec.get("wait"):
        if request.cancelled:
            raise TimeoutError
        time.sleep(0.001)
    required = spec.get("require")
    if required is not None and request.related(Secret).get(required) is None:
        return {"require": [Secret.require(required), Secret.require(labels="app=web")]}
    if spec.get("see"):
        status = {
            "maps": names(request.children(ConfigMap)),
            "secrets": names(request.related(Secret)),
            "attempt": request.attempt,
            "now": request.now,
            "key": request.idempotency_key,
        }
        return {"status": status}
    return spec.get("answer")


@sites.cleanup
def cleanup(request):
    return done() if len(request.children(ConfigMap)) == 0 else {"children": []}
