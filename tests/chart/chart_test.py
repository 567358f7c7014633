"""The chart of helm/sumac, rendered by Helm: no cluster is asked. tests/kube/scenarios installs it.

Goldens: golden/default.yaml is what the default values give; for each file of values in cases/, golden has what
changes. `tests/chart/run.sh --update` writes them anew: read the difference before you commit it.
"""

import difflib
import functools
import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
CHART = ROOT / "helm" / "sumac"
UPDATE = os.environ.get("SUMAC_UPDATE_GOLDEN") == "1"
REGISTRY = {"image": {"registry": "registry.example/team"}}

# Values that are refused, and what Helm says.
REFUSED = [
    ({"image": {"registri": "a.example"}}, "additional properties 'registri' not allowed"),
    ({"image": {"registry": "https://a.example"}}, "/image/registry"),
    ({"image": {"registry": "a.example/"}}, "/image/registry"),
    ({"image": {"registry": "a.example/sumac-worker:1.0"}}, "/image/registry"),
    ({"image": {"digests": {"worker": "sha256:1234"}}}, "/image/digests/worker"),
    ({"image": {"pullPolicy": "always"}}, "/image/pullPolicy"),
    ({"operater": {}}, "additional properties 'operater' not allowed"),
    ({"operator": {"replica": 1}}, "additional properties 'replica' not allowed"),
    ({"operator": {"replicas": "2"}}, "got string, want integer"),
    ({"operator": {"resources": {"request": {}}}}, "additional properties 'request' not allowed"),
    ({"operator": {"resources": {"requests": {"cpu": "100milli"}}}}, "/operator/resources/requests/cpu"),
    ({"operator": {"tolerations": [{"keys": "a"}]}}, "additional properties 'keys' not allowed"),
    ({"operator": {"extraEnv": [{"name": "A", "valeu": "b"}]}}, "additional properties 'valeu' not allowed"),
    ({"watchNamespaces": "a"}, "got string, want array"),
    ({"watchNamespaces": ["A_b"]}, "/watchNamespaces/0"),
    ({"watchNamespaces": ["a", "a"]}, "/watchNamespaces"),
    ({"defaults": {"worker": {"spec": {}}}}, "additional properties 'spec' not allowed"),
    ({"defaults": {"worker": {"template": {"spec": {"nodeselector": {}}}}}}, "additional properties 'nodeselector' not allowed"),
    ({"defaults": {"server": {"template": {"spec": {"restartPolicy": "Always"}}}}}, "'restartPolicy' not allowed"),
    ({"defaults": {"server": {"template": {"spec": {"containers": [{"name": "sumac", "resorces": {}}]}}}}}, "'resorces' not allowed"),
    ({"defaults": {"worker": {"template": {"metadata": {"finalizers": ["a/b"]}}}}}, "'finalizers' not allowed"),
    ({"defaults": {"worker": {"template": {"spec": {"ephemeralContainers": []}}}}}, "'ephemeralContainers' not allowed"),
    ({"metrics": {"serviceMonitor": {"interval": "30"}}}, "/metrics/serviceMonitor/interval"),
    ({"networkPolicy": {"egress": {"apiServerPorts": [0]}}}, "/networkPolicy/egress/apiServerPorts/0"),
    ({"gcs": {"bucket": "gs://mine"}}, "/gcs/bucket"),
    ({"gcs": {"bucket": "mine"}}, "gcs.namespaces"),
    ({"operator": {"podLabels": {"app.kubernetes.io/name": "a"}}}, "/operator/podLabels"),
    ({"operator": {"podLabels": {"app.kubernetes.io/component": "a"}}}, "/operator/podLabels"),
    ({"operator": {"podLabels": {"sumac.dev/serves": "a"}}}, "/operator/podLabels"),
    ({"operator": {"podSecurityContext": {"runAsUsr": 1}}}, "additional properties 'runAsUsr' not allowed"),
    ({"operator": {"podSecurityContext": {"runAsUser": "1"}}}, "/operator/podSecurityContext/runAsUser"),
    ({"operator": {"securityContext": {"fsGroup": 1}}}, "additional properties 'fsGroup' not allowed"),
    ({"defaults": {"podSecurityContext": {"runAsUser": "1"}}}, "/defaults/podSecurityContext/runAsUser"),
    ({"checks": {"enabled": "no"}}, "/checks/enabled"),
    ({"operator": {"leaderElection": {"renewDeadlineSeconds": 15}}}, "leaseDurationSeconds (15) must be longer"),
    ({"operator": {"leaderElection": {"retryPeriodSeconds": 9}}}, "1.2 times retryPeriodSeconds (9)"),
]

# Objects of Kubernetes and maps of anything, which no schema of ours can list.
OPEN_DEFINITIONS = {"strings", "quantities"}


def run(*command, **options):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, **options)


def helm(*words):
    return run(os.environ["HELM"], *words)


def with_file(values):
    handle = tempfile.NamedTemporaryFile("w", suffix=".json")
    json.dump(values, handle)
    handle.flush()
    return handle


def template(values, *words):
    """Renders for the release sumac in sumac-system, with a registry unless the values have one."""
    merged = json.loads(json.dumps(values))
    merged.setdefault("image", {}).setdefault("registry", REGISTRY["image"]["registry"])
    with with_file(merged) as file:
        return helm("template", "sumac", CHART, "--namespace", "sumac-system", "--values", file.name, *words)


def job_template(values, role):
    """What the operator gets as the template of the role."""
    text = template(values).stdout
    return json.loads(re.search(role + r"\.json: \|\n +(.*)\n", text)[1])


def shortened(text):
    """A render without the fields of the CRD, which other tests compare, and without empty lines."""
    parts = re.split(r"^---\n", text, flags=re.MULTILINE)
    parts = [re.sub(r"^spec:\n.*", "spec: (that of `sumac crd`)\n", part, flags=re.MULTILINE | re.DOTALL)
             if "\nkind: CustomResourceDefinition\n" in part else part for part in parts]
    return re.sub(r"\n\s*\n", "\n", "---\n".join(parts))


def cases():
    return sorted((HERE / "cases").glob("*.json"))


def values_of(case):
    return json.loads(case.read_text(encoding="utf-8"))


def words_of(case):
    """A case named gke* is on top of values-gke.yaml."""
    return ["--values", CHART / "values-gke.yaml"] if case.stem.startswith("gke") else []


@functools.cache
def rendered(case):
    """As Argo CD does it: `helm template` with the kinds of its cluster, where `lookup` finds nothing."""
    values = values_of(case)
    with with_file({**values, "image": {**REGISTRY["image"], **values.get("image", {})}}) as file:
        return helm("template", "sumac", CHART, "--namespace", "sumac-system", *words_of(case), "--values", file.name,
                    *api_versions())


def api_versions(without="\0"):
    """As Argo CD passes what its cluster serves: each version, and each version and kind."""
    lines = (HERE / "api-versions.txt").read_text(encoding="utf-8").splitlines()
    return [word for line in lines if line[0] != "#" and without not in line for word in ("--api-versions", line)]


@functools.cache
def default_render():
    got = template({})
    assert got.returncode == 0, got.stderr
    return shortened(got.stdout)


def schema():
    return json.loads((CHART / "values.schema.json").read_text(encoding="utf-8"))


def leaves(node, path=""):
    """The values that can be set: a.b.c of each property that has no properties of its own."""
    for name, child in node["properties"].items():
        where = f"{path}.{name}" if path else name
        if where == "global":
            continue
        if child.get("$ref") == "#/definitions/role":
            yield f"{where}.template"
        elif "properties" in child:
            yield from leaves(child, where)
        else:
            yield where


def has(values, path):
    for name in path.split("."):
        if not isinstance(values, dict) or name not in values:
            return False
        values = values[name]
    return True


def table_of_values():
    """The table of README.md, from values.yaml: path, default, the comment above."""
    rows, comment, path = [], [], []
    known = set(leaves(schema()))
    inside = None  # the depth of a value that goes on below its line
    for line in (CHART / "values.yaml").read_text(encoding="utf-8").splitlines():
        text = line.strip()
        depth = (len(line) - len(line.lstrip())) // 2
        if not text:
            comment, inside = [], None
        elif inside is not None and depth > inside:
            continue
        elif text.startswith("#"):
            comment.append(text.lstrip("# "))
        else:
            name, default = re.match(r"^([A-Za-z]+):(?: (.*))?$", text).groups()
            path[depth:] = [name]
            where = ".".join(path)
            inside = depth if where in known else None
            shown = f"`{default}`" if default else "in the file" if where in known else ""
            if where in known or comment:
                rows.append(f"| `{where}` | {shown} | {' '.join(comment)} |".replace("  ", " "))
            comment = []
    return rows


class Golden(unittest.TestCase):
    maxDiff = None

    def compare(self, name, text):
        path = HERE / "golden" / name
        if UPDATE:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
        self.assertTrue(path.exists(), f"no {path}: tests/chart/run.sh --update")
        self.assertEqual(text, path.read_text(encoding="utf-8"), "tests/chart/run.sh --update, and read what changes")

    def test_default(self):
        self.compare("default.yaml", default_render())

    def test_each_case_changes_what_it_says(self):
        self.assertGreater(len(cases()), 10)
        for case in cases():
            with self.subTest(case.stem):
                got = rendered(case)
                self.assertEqual(got.returncode, 0, got.stderr)
                lines = difflib.unified_diff(default_render().splitlines(), shortened(got.stdout).splitlines(),
                                             "default", case.stem, lineterm="", n=2)
                # Line numbers would change with every line of a template.
                text = "".join(re.sub(r"^@@.*", "@@", line) + "\n" for line in lines)
                self.assertNotEqual(text, "", "it changes nothing")
                self.compare(f"{case.stem}.diff", text)

    def test_no_golden_is_left_over(self):
        wanted = {"default.yaml"} | {f"{case.stem}.diff" for case in cases()}
        self.assertEqual({path.name for path in (HERE / "golden").iterdir()}, wanted)

    def test_every_value_is_in_a_case(self):
        known = [values_of(case) for case in cases()] + [REGISTRY]
        missing = [path for path in leaves(schema()) if not any(has(values, path) for values in known)]
        self.assertEqual(missing, [])


class Values(unittest.TestCase):
    def test_lint_finds_nothing(self):
        for file in ("values.yaml", "values-gke.yaml"):
            got = helm("lint", "--strict", CHART, "--values", CHART / file, "--set", "image.registry=a.example")
            self.assertEqual(got.returncode, 0, got.stdout + got.stderr)

    def test_mistakes_are_refused(self):
        for values, message in REFUSED:
            with self.subTest(values=values):
                got = template(values)
                self.assertNotEqual(got.returncode, 0, got.stdout[:200])
                self.assertIn(message, got.stderr)

    def test_schema_is_strict(self):
        def check(node, where):
            if not isinstance(node, dict):
                return
            if "properties" in node:
                self.assertIs(node.get("additionalProperties"), False, where)
            for name, child in node.items():
                if not (where == "#/definitions" and name in OPEN_DEFINITIONS):
                    check(child, f"{where}/{name}")

        check(schema(), "#")

    def test_without_a_registry_it_says_so(self):
        got = helm("template", "sumac", CHART)
        self.assertNotEqual(got.returncode, 0)
        self.assertEqual(got.stderr.count("image.registry is not set"), 1, got.stderr)
        self.assertEqual(got.stdout, "")

    def test_old_kubernetes_is_refused(self):
        self.assertIn(">=1.29.0-0", template({}, "--kube-version", "1.28.15").stderr)
        for version in ("1.29.0", "1.33.4-gke.1350000"):
            self.assertEqual(template({}, "--kube-version", version).returncode, 0, version)

    def test_readme_lists_the_values(self):
        path = CHART / "README.md"
        page = path.read_text(encoding="utf-8")
        title = "| value | default | |\n| --- | --- | --- |\n"
        head, rest = page.split(title)
        tail = re.sub(r"^(\|.*\n)*", "", rest)
        wanted = head + title + "".join(row + "\n" for row in table_of_values()) + tail
        if UPDATE:
            path.write_text(wanted, encoding="utf-8")
            page = wanted
        self.assertEqual(page, wanted, "tests/chart/run.sh --update")
        listed = {match for match in re.findall(r"^\| `([A-Za-z.]+)`", page, re.MULTILINE)}
        self.assertEqual(set(leaves(schema())) - listed, set())


class Rendered(unittest.TestCase):
    def test_definition_is_that_of_the_table_of_fields(self):
        got = template({}, "--show-only", "templates/crd.yaml")
        body = (CHART / "files" / "trainingjobs.yaml").read_text(encoding="utf-8").split("\nspec:\n", 1)[1]
        self.assertEqual(got.stdout.split("\nspec:\n", 1)[1].strip(), body.strip())
        self.assertIn("helm.sh/resource-policy: keep", got.stdout)

    def test_deploy_is_rendered_from_the_chart(self):
        if UPDATE:
            self.assertEqual(run(ROOT / "tools" / "render_deploy.sh").returncode, 0)
        with tempfile.TemporaryDirectory() as folder:
            got = run(ROOT / "tools" / "render_deploy.sh", folder)
            self.assertEqual(got.returncode, 0, got.stderr)
            made = sorted(path.relative_to(folder) for path in pathlib.Path(folder).rglob("*.yaml"))
            self.assertEqual(len(made), 9)
            for path in made:
                self.assertEqual((ROOT / "deploy" / path).read_text(encoding="utf-8"),
                                 (pathlib.Path(folder) / path).read_text(encoding="utf-8"),
                                 f"deploy/{path} is not that of the chart: tools/render_deploy.sh")

    @unittest.skipUnless("KUBECTL" in os.environ, "no kubectl beside this Helm")
    def test_one_line_names_the_registry_of_deploy(self):
        for folder in ("deploy", "deploy/namespaced"):
            with tempfile.TemporaryDirectory() as copy:
                run("cp", "-r", ROOT / "deploy", copy)
                line = pathlib.Path(copy) / "deploy" / "operator" / "kustomization.yaml"
                before = line.read_text(encoding="utf-8")
                line.write_text(before.replace("registry=__REGISTRY_IS_NOT_SET__", "registry=a.example/b/c"), encoding="utf-8")
                text = run(os.environ["KUBECTL"], "kustomize", pathlib.Path(copy) / folder).stdout
                names = sorted(re.findall(r"\S+/sumac-\w+:\S+", text))
                self.assertEqual([name.rsplit(":", 1)[0] for name in names],
                                 ["a.example/b/c/sumac-operator", "a.example/b/c/sumac-server", "a.example/b/c/sumac-worker"])
                self.assertNotIn("REGISTRY_IS_NOT_SET", text)
                self.assertNotIn("sumac-images", text)

    def test_names_of_digits_are_texts(self):
        number = "40417"
        values = {**REGISTRY, "serviceAccount": {"name": number}, "operator": {"priorityClassName": number},
                  "gcs": {"bucket": number, "claim": number, "namespaces": [number]}, "watchNamespaces": [number]}
        values["image"] = {**REGISTRY["image"], "pullSecrets": [number]}
        with with_file(values) as file:
            got = helm("template", number, CHART, "--namespace", number, "--values", file.name)
        self.assertEqual(got.returncode, 0, got.stderr)
        self.assertGreater(got.stdout.count(f'"{number}"'), 20)
        self.assertEqual(re.findall(rf"^.*[ {{]{number}(?:[ ,}}]|$).*$", re.sub("#.*", "", got.stdout), re.MULTILINE), [])
        self.assertEqual(re.findall(rf"^.*[ ]{number}-{number}$", got.stdout, re.MULTILINE), [])

    def test_default_requests_are_those_of_the_operator(self):
        source = (ROOT / "operator/trainingjob/children/pod.cc").read_text(encoding="utf-8")
        chart = re.findall(r"requests: {cpu: (\w+), memory: (\w+), ephemeral-storage: (\w+)}",
                           (CHART / "values.yaml").read_text(encoding="utf-8").split("\ndefaults:\n")[1])
        ours = re.findall(r'Requests k(?:Worker|Server)Requests{"(\w+)", "(\w+)", "(\w+)"};', source)
        self.assertEqual(len(ours), 2)
        self.assertEqual(ours, chart)

    def test_pods_of_jobs_have_the_security_context_of_the_operators_built_in_template(self):
        source = (ROOT / "operator/trainingjob/children/pod.cc").read_text(encoding="utf-8")
        user = int(re.search(r"kUser = (\d+);", source)[1])
        built_in = re.search(r'"securityContext",\s*{{"runAsNonRoot".*?}}}}},', source, re.DOTALL)[0]
        ours = job_template({}, "worker")["spec"]["securityContext"]
        self.assertEqual(set(re.findall(r'{"(\w+)", (?:true|kUser|"OnRoot|{{)', built_in)), set(ours))
        self.assertEqual({**ours, "seccompProfile": None},
                         {"runAsNonRoot": True, "runAsUser": user, "runAsGroup": user, "fsGroup": user,
                          "fsGroupChangePolicy": "OnRootMismatch", "seccompProfile": None})

    def test_the_security_context_of_jobs_takes_away_from_the_operators_built_in_template(self):
        def context(defaults):
            return job_template({"defaults": defaults}, "server")["spec"]["securityContext"]
        chosen = context({"podSecurityContext": {"runAsUser": None, "runAsGroup": None, "fsGroup": None}})
        self.assertEqual({field for field, value in chosen.items() if value is None}, {"runAsUser", "runAsGroup", "fsGroup"})
        self.assertTrue(chosen["runAsNonRoot"])
        self.assertEqual(set(context({"podSecurityContext": None}).values()), {None})
        own = context({"server": {"template": {"spec": {"securityContext": {"runAsUser": 7}}}}})
        self.assertEqual((own["runAsUser"], own["runAsGroup"]), (7, 65532))

    def test_workers_get_the_sidecar_for_buckets_only_with_a_bucket(self):
        gke = ["--values", CHART / "values-gke.yaml"]
        self.assertNotIn("gke-gcsfuse", template({}, *gke).stdout)
        bucket = ["--set", "gcs.bucket=runs", "--set", "gcs.namespaces={team-a}"]
        self.assertEqual(template({}, *gke, *bucket).stdout.count('"gke-gcsfuse/volumes":"true"'), 1)

    def test_pods_are_restricted(self):
        for case in [None, *cases()]:
            text = (template({}) if case is None else rendered(case)).stdout
            with self.subTest(case=case):
                count = text.count("runAsNonRoot: true")
                self.assertEqual(count, text.count("kind: Deployment\n") + text.count("kind: Pod\n"))
                self.assertEqual(len(re.findall(r"seccompProfile:\n +type: RuntimeDefault\n", text)), count)
                # OpenShift's restricted-v2 chooses the user.
                chosen = case is not None and case.stem == "openshift"
                self.assertEqual(text.count("runAsUser: 65532"), 0 if chosen else count)

    def test_security_contexts_can_be_left_out(self):
        text = template({"operator": {"podSecurityContext": None, "securityContext": None}}).stdout
        self.assertIn("kind: Deployment\n", text)
        self.assertNotIn("securityContext", text.split("kind: ConfigMap\nmetadata:\n  name: sumac-helm-test")[0].split("kind: Deployment\n")[1])


class ArgoCd(unittest.TestCase):
    """Every case renders as it calls Helm: rendered()."""

    def test_list_is_that_of_a_cluster(self):
        self.assertGreater(len(api_versions()) / 2, 80)
        for kind in ("apps/v1/Deployment", "v1/Namespace", "sumac.dev/v1alpha1/TrainingJob",
                     "monitoring.coreos.com/v1/ServiceMonitor"):
            self.assertIn(kind, api_versions())

    def test_a_kind_that_the_cluster_lacks_is_refused_unless_checks_are_off(self):
        for values, kind in (({"crds": {"install": False}}, "sumac.dev/v1alpha1/TrainingJob"),
                             ({"metrics": {"serviceMonitor": {"enabled": True}}}, "monitoring.coreos.com/v1/ServiceMonitor")):
            with self.subTest(kind):
                words = api_versions(without=kind)
                self.assertIn(f"does not know the kind {kind.split('/')[-1]}", template(values, *words).stderr)
                got = template({**values, "checks": {"enabled": False}}, *words)
                self.assertEqual(got.returncode, 0, got.stderr)


if __name__ == "__main__":
    unittest.main()
