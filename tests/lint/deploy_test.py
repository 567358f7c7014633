"""deploy/ and docs/operator.md say what the sources say.

- The operator's rights are those of docs/design/security.md#the-operators-rights, in the cluster's role
  and the namespaced one.
- Images have the version of the project.
- The page of the operator explains every reason in common/api/reasons.h, and no other.
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


def reasons():
    header = read("common/api/reasons.h")
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
        text = read("deploy/operator/kustomization.yaml")
        found = re.findall(r"(?:newTag: |:)(\d+\.\d+\.\d+)\b", text)
        self.assertEqual(found, [version()] * 3)


class ReasonsTest(unittest.TestCase):
    def test_page_explains_every_reason_and_no_other(self):
        text = section(read("docs/operator.md"), "## Reasons")
        explained = REASON_ROW.findall(text)
        self.assertGreater(len(reasons()), 30)
        self.assertEqual(sorted(explained), sorted(reasons()))


if __name__ == "__main__":
    unittest.main()
