"""deploy/ and docs/operator.md say what the sources say.

- The operator's rights are those of docs/design/security.md#the-operators-rights, in the cluster's role
  and the namespaced one.
- Images have the version of the project, and no registry; so has the chart, with the CRD of deploy/.
  (tests/chart compares the rest of deploy/ with the chart, where there is Helm.)
- Images in the examples have that version too, and the example for Kueue asks for what its job has.
- The page of the operator explains every reason in kube/api/reasons.h, and no other.
"""

import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]

RIGHTS = {
    ("sumac.dev", "trainingjobs"): {"get", "list", "watch", "delete"},
    ("sumac.dev", "trainingjobs/status"): {"update"},
    ("sumac.dev", "trainingjobs/finalizers"): {"update"},
    ("", "pods"): {"create", "get", "list", "watch", "delete"},
    ("", "services"): {"create", "get"},
    ("", "configmaps"): {"create", "get"},
    ("", "persistentvolumeclaims"): {"get"},
    ("", "resourcequotas"): {"list", "watch"},
    ("networking.k8s.io", "networkpolicies"): {"create", "get"},
    ("", "secrets"): {"create"},
    ("", "events"): {"create", "patch"},
}
RULE = re.compile(r"^  - \{apiGroups: \[(.*)\], resources: \[(.*)\], verbs: \[(.*)\]\}$")
REASON_ROW = re.compile(r"^\| `([A-Za-z]+)` \|", re.MULTILINE)


def read(path):
    return (ROOT / path).read_text(encoding="utf-8")


def words(text):
    return [word.strip().strip('"') for word in text.split(",")]


def rights(path):
    """{(group, resource): verbs} of the first role in a file, which has one rule a line."""
    text = read(path).split("rules:\n", 1)[1].split("---", 1)[0]
    found = {}
    for line in text.splitlines():
        groups, resources, verbs = RULE.match(line).groups()
        for group in words(groups):
            for resource in words(resources):
                found.setdefault((group, resource), set()).update(words(verbs))
    return found


def version():
    return re.search(r"project\(sumac VERSION (\S+)", read("CMakeLists.txt")).group(1)


def example_tags():
    """{file: tags} of images of Sumac in the examples."""
    found = {}
    for path in sorted((ROOT / "examples").rglob("*.yaml")):
        tags = re.findall(r"REGISTRY/sumac[a-z-]*:(\S+)", path.read_text(encoding="utf-8"))
        if tags:
            found[path.name] = tags
    return found


def reasons():
    header = read("kube/api/reasons.h")
    return set(re.findall(r'inline constexpr const char\* k\w+ =\s*"(\w+)"', header))


def section(page, title):
    """The text below a heading, up to the next one that is not deeper."""
    level = title.split(" ", 1)[0]
    rest = page.split(f"\n{title}\n", 1)[1]
    return re.split(rf"^#{{1,{len(level)}}} ", rest, maxsplit=1, flags=re.MULTILINE)[0]


class DeployTest(unittest.TestCase):
    def test_rights_of_the_operator_are_those_of_the_design(self):
        self.assertEqual(rights("deploy/rbac/operator.yaml"), RIGHTS)

    def test_rights_in_one_namespace_are_the_same(self):
        self.assertEqual(rights("deploy/namespaced/role.yaml"), RIGHTS)

    def test_page_lists_the_rights(self):
        page = section(read("docs/operator.md"), "## Rights and security")
        listed = {}
        for resources, verbs in re.findall(r"^\| ([^|]*`[^|]*) \| ([a-z, ]+) \|", page, re.MULTILINE):
            for resource in re.findall(r"`([a-z/]+)`", resources):
                listed[resource] = set(words(verbs))
        wanted = {resource: verbs for (_, resource), verbs in RIGHTS.items()}
        wanted["leases"] = {"create", "get", "update"}
        self.assertEqual(listed, wanted)

    def test_images_have_the_version_of_the_project(self):
        found = re.findall(r"/sumac-\w+:(\S+)", read("deploy/operator/deployment.yaml"))
        self.assertEqual(found, [version()] * 3)

    def test_images_have_no_registry_until_one_is_set(self):
        # docker.io/sumac is not ours: whoever has it would get the operator's rights.
        for path in sorted(ROOT.glob("deploy/**/*.yaml")):
            for name in re.findall(r"(\S+)/sumac-\w+:\d", path.read_text(encoding="utf-8")):
                self.assertEqual(name, "__REGISTRY_IS_NOT_SET__", path)
        self.assertIn("- registry=__REGISTRY_IS_NOT_SET__\n", read("deploy/operator/kustomization.yaml"))
        self.assertIn('\n  registry: ""\n', read("helm/sumac/values.yaml"))


class ExamplesTest(unittest.TestCase):
    def test_images_have_the_version_of_the_project(self):
        found = example_tags()
        self.assertIn("lenet5-fashion-fetch.yaml", found)
        for name, tags in found.items():
            self.assertEqual(set(tags), {version()}, name)

    def test_place_in_a_queue_is_that_of_the_job(self):
        def asked(text):
            return re.findall(r"^ +requests: ({.*})$", text, re.MULTILINE)

        job, place = read("examples/lenet5-cluster.yaml"), read("examples/cluster/kueue.yaml")
        self.assertEqual(asked(place)[0], asked(job)[0])
        self.assertEqual(re.findall(r"^ +count: (\d+)$", place, re.MULTILINE),
                         re.findall(r"^ +replicas: (\d+)$", job, re.MULTILINE))
        name = r"^  name: (\S+)"
        self.assertEqual(re.search(name, place, re.MULTILINE).group(1), re.search(name, job, re.MULTILINE).group(1))


class ChartTest(unittest.TestCase):
    def test_chart_has_the_version_of_the_project(self):
        chart = read("helm/sumac/Chart.yaml")
        self.assertEqual(re.search(r"^version: (\S+)$", chart, re.MULTILINE).group(1), version())
        self.assertEqual(re.search(r'^appVersion: "(\S+)"$', chart, re.MULTILINE).group(1), version())

    def test_definition_of_the_chart_is_that_of_deploy(self):
        # tests/unit/job/document compares that one with `sumac crd`.
        self.assertEqual(read("helm/sumac/files/trainingjobs.yaml"), read("deploy/crd/trainingjobs.yaml"),
                         "cp deploy/crd/trainingjobs.yaml helm/sumac/files/")


class ReasonsTest(unittest.TestCase):
    def test_page_explains_every_reason_and_no_other(self):
        text = section(read("docs/operator.md"), "## Reasons")
        explained = REASON_ROW.findall(text)
        self.assertGreater(len(reasons()), 30)
        self.assertEqual(sorted(explained), sorted(reasons()))


if __name__ == "__main__":
    unittest.main()
