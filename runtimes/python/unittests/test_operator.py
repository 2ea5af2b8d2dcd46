"""Operators: what they declare, and how their functions are asked."""

import sys
import unittest
from pathlib import Path

sys.path.append(str(Path(__file__).parent.parent / "doors"))

from fnlet.operator import (
    ConfigMap,
    Deployment,
    Request,
    Secret,
    UndeclaredKind,
    cel,
    define_kind,
    done,
    generation_changed,
    labels_changed,
    operator,
    ready,
)

Site = define_kind(
    "example.dev/v1",
    "Site",
    description="A page.",
    spec={"html": {"type": "string"}},
    required=["html"],
    status={"url": {"type": "string"}},
    columns={"URL": ".status.url"},
    short_names=["si"],
)


@operator(
    Site,
    when=generation_changed | ~labels_changed & cel("object.spec.html != ''"),
    owns=[ConfigMap, Deployment.keep("status.readyReplicas").select("app=web")],
    watches=[
        Secret.select("site").map_to("object.metadata.labels.site"),
        Secret.map_to(lambda secret: secret["metadata"]["name"]),
    ],
    deadline="20s",
)
def sites(request):
    name = request.object["metadata"]["name"]
    maps = request.children(ConfigMap)
    return {
        "children": [ConfigMap.of(name, labels={"a": "b"}, data={"n": str(len(maps))})],
        "conditions": [ready()],
    }


def found(kind, name, namespace="default"):
    return kind.of(name, namespace=namespace)


class OperatorTest(unittest.TestCase):
    def test_it_says_all_that_it_declares(self):
        declared = sites.declaration()
        self.assertEqual(declared["name"], "sites.example.dev")
        self.assertEqual(declared["for"]["plural"], "sites")
        self.assertEqual(declared["owns"][1]["fields"], ["status.readyReplicas"])
        self.assertEqual(declared["owns"][1]["labels"], "app=web")
        expressions = [watch["expression"] for watch in declared["watches"]]
        self.assertEqual(expressions, ["object.metadata.labels.site", None])
        self.assertEqual(declared["when"]["type"], "or")
        not_labels = {"type": "not", "of": {"type": "labels"}}
        self.assertEqual(declared["when"]["of"][1]["of"][0], not_labels)
        self.assertEqual(declared["deadline"], "20s")
        self.assertNotIn("resync", declared)
        self.assertFalse(declared["cleanup"])

    def test_it_is_asked_like_a_function(self):
        request = Request.of(sites, found(Site, "a"), children=[found(ConfigMap, "m")])
        wanted = ConfigMap.of("a", labels={"a": "b"}, data={"n": "1"})
        self.assertEqual(sites(request), {"children": [wanted], "conditions": [ready()]})
        self.assertEqual(sites.ask("cleanup", request), done())
        self.assertEqual(request.time.year, 2026)

    def test_objects_are_found_by_name_in_their_namespace(self):
        others = [found(Secret, "s"), found(Secret, "s", "other"), found(Secret, "t", "other")]
        secrets = Request.of(sites, found(Site, "a"), related=others).related(Secret)
        self.assertEqual(len(secrets), 3)
        self.assertEqual(secrets.get("s")["metadata"]["namespace"], "default")
        self.assertEqual(secrets.get("s", "other")["metadata"]["namespace"], "other")
        self.assertIsNone(secrets.get("t"))

    def test_what_is_not_declared_is_no_empty_set(self):
        request = Request.of(sites, found(Site, "a"))
        with self.assertRaisesRegex(UndeclaredKind, 'Name it in "owns"'):
            request.children(Secret)
        with self.assertRaisesRegex(UndeclaredKind, 'Name it in "watches"'):
            request.related(ConfigMap)

    def test_a_kind_of_ones_own_brings_its_definition(self):
        self.assertEqual(Site.crd["metadata"]["name"], "sites.example.dev")
        version = Site.crd["spec"]["versions"][0]
        properties = version["schema"]["openAPIV3Schema"]["properties"]
        self.assertEqual(properties["spec"]["required"], ["html"])
        self.assertEqual(
            sorted(properties["status"]["properties"]), ["conditions", "observedGeneration", "url"]
        )
        columns = [column["name"] for column in version["additionalPrinterColumns"]]
        self.assertEqual(columns, ["URL", "Ready", "Age"])

    def test_a_mapping_names_whom_an_object_concerns(self):
        for mapping, keys in [
            (lambda _: None, []),
            (lambda _: "a", [{"name": "a"}]),
            (lambda _: {"name": "a", "namespace": "b"}, [{"name": "a", "namespace": "b"}]),
            (lambda _: ["a", {"name": "b"}], [{"name": "a"}, {"name": "b"}]),
        ]:
            self.assertEqual(Secret.map_to(mapping).keys_of(found(Secret, "s")), keys)
        with self.assertRaises(TypeError):
            Secret.map_to("object.metadata.name").keys_of(found(Secret, "s"))


if __name__ == "__main__":
    unittest.main()
