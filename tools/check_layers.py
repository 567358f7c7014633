#!/usr/bin/env python3
"""Checks the direction of every #include against the layers of docs/adr/0001-folders-and-layers.md,
that a program, test support or the library reaches every source, that what other programs load
leaves their process alone, and that no header is a crumb: one with few lines that a single file
beside it includes.

    check_layers.py [ROOT]

Prints `file:line: rule` for each breach and exits 1 when there is one.
"""

import collections
import pathlib
import re
import sys

# Folders whose sub-folders are layers: each includes itself and those before it. Files directly in
# such a folder come after all its folders.
ORDERS = {
    "base": ("core", "log", "trace", "keys", "yaml", "protobuf", "process", "telemetry", "report", "terminal"),
    "job": ("model", "document", "progress", "tensorboard", "profile"),
    "exchange": ("plan", "membership", "wire", "link", "sums", "coordinator", "member", "status", "client", "course"),
    "kube": ("api", "client"),
    "engine": ("checkpoint", "onnx", "optimizer", "packed", "pictures", "sampler", "data", "packing", "model_file", "nn", "image", "sequence", "make", "memory"),
    "worker": ("profile", "train", "use", "commands"),
    "operator": ("control", "cache", "trainingjob", "program"),
    "operator/trainingjob": ("state", "policy", "children", "progress", "observe", "apply"),
    "planner": ("checks", "network", "convolution_choice", "sizing", "balance", "parallel",
                "efficiency", "exchange_cost", "autoscaling", "advice", "machines", "report"),
    "experiment": ("document", "cells", "measure", "predict", "simulate", "findings", "report"),
    "cli": ("programs", "completion", "fetch", "models", "export", "init", "document", "cluster", "run", "compare",
            "bench", "profile", "plan", "experiment"),
}

# The same of the top folders, but for programs and the library for other languages, which include
# each other never, and what may include everything.
TOP_ORDER = ("base", "kernels", "job", "exchange", "kube", "engine", "planner", "experiment")
PROGRAMS = ("worker", "server", "operator", "cli", "libsumac")
UNBOUND = ("tests", "bench")
TOP = TOP_ORDER + PROGRAMS + UNBOUND

# Wings: every file lies in a library, one folder below.
WINGS = ("base", "job", "exchange", "kube", "engine")

# Decisions of the operator are pure: they know neither its cache nor its control.
PURE = ("operator/trainingjob/state", "operator/trainingjob/policy")
IMPURE = ("operator/control", "operator/cache")

# Third parties behind fences: (name, start of the include, the only places that may include it).
FENCES = (
    ("cpprestsdk", r"(cpprest|pplx)/", "kube/client"),
    ("yaml-cpp", r"yaml-cpp/", "base/yaml"),
    ("fmt", r"fmt/", "base/core", "planner/report"),
    ("ZeroMQ", r"zmq(_addon)?\.h(pp)?$", "exchange/link"),
    ("Boost.Beast", r"boost/(beast|asio)[/.]", "base/telemetry"),
    ("Eigen", r"(unsupported/)?Eigen/", "kernels", "planner"),
    ("libcurl", r"curl/", "cli/fetch"),
    ("libpng", r"png\.h$", "engine/pictures"),
    ("libjpeg", r"(jpeglib|jerror)\.h$", "engine/pictures"),
    ("libzip", r"zip\.h$", "engine/data"),
    ("Boost.Math", r"boost/math[/.]", "experiment/measure"),
    ("Boost.Test", r"boost/test/", "tests"),
)

# What other programs load as a library changes nothing of their process: no signal mask or handler,
# no allocator setting or limit, no end, no output. base/process has these for our own programs.
LOADED = ("base", "job", "exchange", "kernels", "engine", "libsumac")
NOT_LOADED = ("base/process", "base/log")
OF_PROCESS = re.compile(
    r"\b(sigprocmask|pthread_sigmask|sigaction|signal|mallopt|setrlimit|set_terminate|abort|"
    r"(_|quick_)?exit|_Exit|printf|puts|toStderr|openQuestions)\s*\(|\bstd::(cout|cerr|clog)\b|"
    r"\bstd(out|err)\b|base/process/(memory|memory_end|resource_limits|spawn|stop_signal|usage)\.h")

# Sources that no program reaches yet, without .h and .cc, and what will use each.
WAITING = {
    "planner/balance/hybrid": "sumac plan, to say when groups of workers that share dense layers pay",
    "planner/sizing/batch_procedure": "sumac plan, for a mini-batch with its learning rate",
}

# What is reached beside programs: test support for all tests, and the library for other languages.
REACHED = ("tests/support", "libsumac")

# A header with fewer lines and one user, which lies beside it, belongs into that user.
CRUMB_LINES = 25

# Those that stay, and why.
CRUMBS = {
    "bench/engine/gemm_eigen.h": "its source is compiled once for each instruction set",
}

MAIN = re.compile(r"^int main\(", re.MULTILINE)
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def lies_in(path, folder):
    """Whether a path is the folder, in it, or the file of that name: cli/fetch.cc is in cli/fetch."""
    return path == folder or path.startswith((folder + "/", folder + "."))


def layer_of(path, folder):
    """The sub-folder of a folder in which a path lies; "" for a file directly in the folder."""
    rest = path[len(folder) + 1:]
    return rest.split("/")[0] if "/" in rest else ""


def place_rule(path, folder):
    """The rule that the place of a file inside an ordered folder breaks, or None."""
    layer = layer_of(path, folder)
    if layer and layer not in ORDERS[folder]:
        return (f"{folder}/{layer} is not in the order of {folder}'s folders"
                " (tools/check_layers.py)")
    return None


def order_rule(source, target):
    """The rule about the order inside an ordered folder that the include breaks, or None."""
    for folder, order in ORDERS.items():
        if not (source.startswith(folder + "/") and target.startswith(folder + "/")):
            continue
        if rule := place_rule(target, folder):
            return rule
        of, to = layer_of(source, folder), layer_of(target, folder)
        if of and not to:
            return f"{folder}/{of} must not include {target}, a higher layer"
        if of and order.index(to) > order.index(of):
            return f"{folder}/{of} must not include {folder}/{to}, a higher layer"
    return None


def top_rule(of, to):
    """The rule about top folders that including a file of `to` in one of `of` breaks, or None."""
    if of in UNBOUND or of == to:
        return None
    if to not in TOP_ORDER:
        return f"{of} must not include {to}, which nobody includes"
    if of in TOP_ORDER and TOP_ORDER.index(to) > TOP_ORDER.index(of):
        return f"{of} must not include {to}, a higher layer"
    return None


def own_rule(source, target):
    """The rule that including one of our files breaks, or None."""
    of, to = source.split("/")[0], target.split("/")[0]
    if "/" not in target or to not in TOP:
        return f'"{target}": paths in quotes start at the repository root'
    if rule := top_rule(of, to):
        return rule
    for pure in PURE:
        if lies_in(source, pure) and any(lies_in(target, other) for other in IMPURE):
            return f"{pure} must not include {'/'.join(target.split('/')[:2])}"
    return order_rule(source, target) if of == to else None


def third_party_rule(source, target):
    """The fence that the include climbs over, or None."""
    if source.split("/")[0] in ("tests", "bench"):  # bench: as rivals
        return None
    for name, start, *homes in FENCES:
        if re.match(start, target) and not any(lies_in(source, home) for home in homes):
            return f"only {' and '.join(homes)} may include {name} (<{target}>)"
    return None


def process_rule(source, line):
    """The rule about libraries that other programs load that a line breaks, or None."""
    if source.split("/")[0] not in LOADED or any(lies_in(source, home) for home in NOT_LOADED):
        return None
    if match := OF_PROCESS.search(line.split("//")[0]):
        return f"only programs and base/process may use {match.group().strip(' (')}"
    return None


def check_file(source, text):
    """Yields (line, rule) for each include of one file that breaks a rule of direction."""
    parts = source.split("/")
    if parts[0] in WINGS and len(parts) == 2:
        yield 1, f"no file lies directly in {parts[0]}/: give it a folder"
        return
    for folder in ORDERS:
        rule = place_rule(source, folder) if source.startswith(folder + "/") else None
        if rule is not None:
            yield 1, rule
            return
    for number, line in enumerate(text.splitlines(), start=1):
        if (rule := process_rule(source, line)) is not None:
            yield number, rule
        match = INCLUDE.match(line)
        if not match:
            continue
        quote, target = match.groups()
        rule = third_party_rule(source, target)
        if rule is None and quote == '"':
            rule = own_rule(source, target)
        if rule is not None:
            yield number, rule


def own_includes(text, known):
    """The files among `known` that a text includes."""
    targets = (match.group(2) for match in map(INCLUDE.match, text.splitlines()) if match)
    return {target for target in targets if target in known}


def implementations(includes):
    """For each header its sources: the one of its name, or those without a header of their name that
    include it from its own folder."""
    found = collections.defaultdict(set)
    for source in includes:
        header = source.removesuffix(".cc") + ".h"
        if source.endswith(".h"):
            continue
        if header in includes:
            found[header].add(source)
            continue
        for target in includes[source]:
            if pathlib.PurePosixPath(target).parent == pathlib.PurePosixPath(source).parent:
                found[target].add(source)
    return found


def reached_from(starts, includes):
    """All files that the starts include, directly or not, with the sources of each header."""
    sources_of = implementations(includes)
    reached, left = set(), list(starts)
    while left:
        path = left.pop()
        if path not in reached:
            reached.add(path)
            left += includes[path] | sources_of[path]
    return reached


def check_reached(texts):
    """Yields (file, line, rule) for each product file that nothing reaches, and for each of WAITING
    that waits no longer. `texts`: all files with their text."""
    includes = {path: own_includes(text, texts) for path, text in texts.items()}
    reached = reached_from((path for path, text in texts.items()
                            if any(lies_in(path, folder) for folder in REACHED)
                            or MAIN.search(text) and not lies_in(path, "tests")), includes)
    waiting = reached_from((path for path in texts if path.rsplit(".", 1)[0] in WAITING), includes)
    for path in sorted(texts):
        if path.rsplit(".", 1)[0] in WAITING:
            if path in reached:
                yield path, 1, "a program reaches it: take it off WAITING (tools/check_layers.py)"
        elif path not in reached | waiting and not lies_in(path, "tests"):
            yield path, 1, ("no program reaches it: delete it, or move it to the tests that need it"
                            " (tests/papers for a paper's formulas)")


def check_crumbs(texts):
    """Yields (file, line, rule) for each header that belongs into its only user, and for each of
    CRUMBS that is none any longer."""
    users = collections.defaultdict(set)
    for path, text in texts.items():
        for target in own_includes(text, texts) - {path.removesuffix(".cc") + ".h"}:
            users[target].add(path)
    for path in sorted(texts):
        if not path.endswith(".h"):
            continue
        lines = len(texts[path].splitlines())
        beside = [user for user in users[path] if user.rpartition("/")[0] == path.rpartition("/")[0]]
        is_crumb = lines < CRUMB_LINES and len(users[path]) == 1 and beside
        if is_crumb and path not in CRUMBS:
            yield path, 1, f"a header of {lines} lines for {beside[0]} alone: it belongs there"
        if path in CRUMBS and not is_crumb:
            yield path, 1, "no crumb any longer: take it off CRUMBS (tools/check_layers.py)"


def sources(root):
    """All C++ files of ours, relative to the root, in order."""
    for folder in sorted(TOP):
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in (".h", ".cc"):
                yield path.relative_to(root).as_posix()


def main(arguments):
    root = pathlib.Path(arguments[0]) if arguments else pathlib.Path(__file__).resolve().parents[1]
    texts = {source: (root / source).read_text(encoding="utf-8") for source in sources(root)}
    breaches = [(source, *breach) for source in texts for breach in check_file(source, texts[source])]
    breaches += [*check_reached(texts), *check_crumbs(texts)]
    for source, line, rule in breaches:
        print(f"{source}:{line}: {rule}")
    print(f"layers: {len(texts)} files, {len(breaches)} breaches")
    if not texts:
        print(f"no C++ files under {root}: wrong folder?")
    return 1 if breaches or not texts else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
