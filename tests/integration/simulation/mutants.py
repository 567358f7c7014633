#!/usr/bin/env python3
"""Plants faults in how members change, one after the other, and says after how many simulated jobs each is found.

    mutants.py WORK [--seeds 2000] [--preset dev] [MUTANT...]

WORK is a folder for a copy of this checkout's last commit, and for what is built of it; a further run uses it again.
Of each mutant a line says the first seed of `simulation_members` that fails, and why; it is "missed" where none of
--seeds fails, "hangs" where 50 of them take ten minutes, and "stale" where the text that it changes is no longer there,
once. Exits 1 unless all that are not expected to be missed (MISSED) are found.
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import typing

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent.parent
TARGET = "sumac_simulation_tests"
AT_ONCE = 50  # seeds of a process
LONGEST = 600  # seconds of these


class Mutant(typing.NamedTuple):
    file: str
    old: str
    new: str


COORDINATOR = "exchange/coordinator/"
MEMBER = "exchange/member/"

MUTANTS = {
    # Where a roster starts, and who sends the state
    "starts-at-the-lowest-step": Mutant(
        COORDINATOR + "next_roster.cc",
        "std::ranges::max_element(\n      done, {}, [](const auto& entry) { return entry.second.value_or(-1); });",
        "std::ranges::min_element(\n      done, {}, [](const auto& entry) { return entry.second.value_or(1 << 30); });"),
    "older-state-before-newer-checkpoint": Mutant(
        COORDINATOR + "next_roster.cc", "if (!most->second || checkpoint > *most->second) {", "if (!most->second) {"),
    "who-has-seen-a-newer-checkpoint-does-not-read-it": Mutant(
        COORDINATOR + "next_roster.cc", "      reader = slot;\n", "      reader = reader;\n"),
    "only-the-first-that-lacks-the-state-gets-it": Mutant(
        COORDINATOR + "next_roster.cc", "    if (slot != next.writer) next.sources[slot] = std::exchange(end, slot);",
        "    if (slot != next.writer && next.sources.empty()) next.sources[slot] = std::exchange(end, slot);"),
    "the-writer-may-be-one-without-the-state": Mutant(
        COORDINATOR + "next_roster.cc", "next.writer = nextWriter(admission, known.writer, ends);",
        "next.writer = nextWriter(admission, known.writer, {});"),
    "what-was-evaluated-is-forgotten": Mutant(
        COORDINATOR + "next_roster.cc", "Admission::Next next{.evaluated = known.evaluated};",
        "Admission::Next next{};"),
    "a-checkpoint-that-the-writer-finds-changes-nothing": Mutant(
        COORDINATOR + "changing.cc",
        "  if (!changes_ || stop_.isRequested() || wire::orderOf(header) != roster.order || !is_newer) {",
        "  if (is_newer || !is_newer) {"),
    # Who founds
    "the-term-does-not-grow": Mutant(
        COORDINATOR + "admission.cc", "  links_ = links;\n  roster_.order = {seen_.term + 1, 1};",
        "  links_ = links;\n  roster_.order = {std::max(seen_.term, 1U), 1};"),
    "kernels-are-chosen-again": Mutant(
        COORDINATOR + "admission.cc", "before == nullptr ? bestKernels(first) : before->kernels;",
        "bestKernels(first);"),
    "a-founder-knows-the-wanted-size-alone": Mutant(
        COORDINATOR + "admission.cc", "  if (before == nullptr) return vacantSlots().empty();",
        "  if (before == nullptr || vacantSlots().empty()) return vacantSlots().empty();"),
    "a-founder-waits-for-nobody": Mutant(
        COORDINATOR + "joining.cc", "kFounding = std::chrono::seconds(3);", "kFounding = std::chrono::seconds(0);"),
    "states-of-other-kernels-are-taken": Mutant(
        COORDINATOR + "admission.cc",
        "  if (request.followed && request.followed->kernels != kernels)\n    return Outcome{",
        "  if (request.followed && request.followed->kernels.empty())\n    return Outcome{"),
    "who-lacks-the-kernels-never-comes-again": Mutant(
        COORDINATOR + "admission.cc", "  return request.newest_checkpoint > 0 ? Verdict::kOther : Verdict::kRefused;",
        "  return request.newest_checkpoint < 0 ? Verdict::kOther : Verdict::kRefused;"),
    "who-has-not-halted-is-admitted": Mutant(
        COORDINATOR + "admission.cc", "    if (!request->followed->has_halted) return {Verdict::kEarly, {}};\n", ""),
    "who-has-missed-a-roster-is-admitted": Mutant(
        COORDINATOR + "admission.cc",
        "    if (isOutdated(member.slot, request->followed->order)) return {Verdict::kTaken, {}};\n", ""),
    # Who comes back
    "who-was-lost-is-admitted-again": Mutant(
        COORDINATOR + "admission.cc",
        "  if (isRemoved(member) || (started() && !options_.most)) return {Verdict::kTaken, {}};",
        "  if (started() && !options_.most) return {Verdict::kTaken, {}};"),
    "who-has-halted-and-comes-back-changes-nothing": Mutant(
        COORDINATOR + "joining.cc", "      takeBack(from, payload);\n", ""),
    "who-comes-back-in-a-stop-stays-an-orphan": Mutant(
        MEMBER + "training.cc", "    membership_->isTakenBack();\n", ""),
    # A change
    "a-roster-is-issued-before-the-last-has-halted": Mutant(
        COORDINATOR + "membership_change.cc", "  if (awaited_.empty() || said < awaited_.size()) return {};",
        "  if (awaited_.empty() || said + (state_ == State::kHalting ? 1U : 0U) < awaited_.size()) return {};"),
    "all-finish-the-lowest-step-begun": Mutant(
        COORDINATOR + "membership_change.cc",
        "last_ = std::ranges::max_element(begun_, {}, &std::pair<const Slot, Step>::second)->second;",
        "last_ = std::ranges::min_element(begun_, {}, &std::pair<const Slot, Step>::second)->second;"),
    "a-planned-change-halts-at-once": Mutant(
        COORDINATOR + "membership_change.cc", "    return {ChangeOrder::Kind::kPrepare};\n  }\n  const bool",
        "    return halt();\n  }\n  const bool"),
    "one-that-died-is-waited-for": Mutant(
        COORDINATOR + "membership_change.cc", "  awaited_.erase(member);\n  begun_", "  begun_"),
    "a-late-step-is-waited-for": Mutant(
        COORDINATOR + "membership_change.cc", "is_planned && now - since_ >= kPatience ? halt() : ChangeOrder{};",
        "is_planned && now - since_ >= 100 * kPatience ? halt() : ChangeOrder{};"),
    "words-about-a-roster-before-count": Mutant(
        COORDINATOR + "coordinator.cc",
        "members_.has(from) &&\n                      wire::orderOf(header) == admission_.roster().order;",
        "members_.has(from);"),
    "who-joins-again-does-not-hear-the-order": Mutant(
        COORDINATOR + "coordinator.cc", "  if (!stop_.isRequested()) return tell(to, change_.current());",
        "  if (!stop_.isRequested()) return;"),
    # Leaving
    "leavers-go-before-another-has-the-state": Mutant(
        COORDINATOR + "changing.cc", "  if (hasStateWithout(leaving_)) {",
        "  if (hasStateWithout(leaving_) || true) {"),
    "a-worker-without-the-state-counts-for-leaves": Mutant(
        COORDINATOR + "changing.cc", "  gone.insert(members_.lacking().begin(), members_.lacking().end());\n", ""),
    "a-leave-counts-the-roster-alone": Mutant(
        COORDINATOR + "roster_members.cc", "  return !has(Role::kWorker) || !has(admission_->roster().shards.role());",
        "  if (std::ranges::all_of(workers(), [&](Slot slot) { return leavers.contains(slot); })) return true;\n"
        "  return !has(Role::kWorker) || !has(admission_->roster().shards.role());"),
    "a-leave-is-a-loss": Mutant(
        COORDINATOR + "changing.cc", "  if (!leaving_since_) leaving_since_ = now_;\n  planLeaves();",
        "  return expel(from, \"it leaves\");"),
    "a-leave-that-is-not-carried-out-waits": Mutant(
        COORDINATOR + "changing.cc", "  if (is_late && !change_.isUnderWay()) requestStop(*leaving_.begin());\n", ""),
    # What travels
    "sums-of-a-roster-before-are-taken": Mutant(
        MEMBER + "contribution_exchange.cc", "  if (wire::orderOf(header) != order_) return std::nullopt;\n", ""),
    "contributions-to-a-roster-before-are-added": Mutant(
        "exchange/sums/sum_exchange.cc",
        "  if (roster_ && orderOf(header) < roster_->order) return;  // that sum will never be complete\n", ""),
    "contributions-to-the-next-roster-are-dropped": Mutant(
        "exchange/sums/sum_exchange.cc", "    hold(inbound_[worker], header, payload);\n",
        "    reject(PushRejection::kHeld);\n"),
    "asks-for-the-next-roster-s-state-are-dropped": Mutant(
        MEMBER + "state_transfer.cc", "    early_[from] = orderOf(header);\n", ""),
    "a-state-s-checksum-is-not-looked-at": Mutant(
        MEMBER + "state_transfer.cc", " && header.first == size_ && header.value == crc_;",
        " && header.first == size_;"),
    "a-wrong-state-is-not-asked-for-again": Mutant(
        MEMBER + "state_transfer.cc", "  if (std::exchange(is_repeated_, true)) {",
        "  if (std::exchange(is_repeated_, true) || true) {"),
    "what-came-wrong-is-not-sent-again-along-the-chain": Mutant(
        MEMBER + "state_transfer.cc", "    receiver = {};  // what came wrong went on to them\n",
        "    receiver.crc = 0;\n"),
    "part-of-a-state-is-missing": Mutant(
        MEMBER + "state_transfer.cc", "    std::memcpy(to.data(), payload.data(), to.size());",
        "    if (to.data() >= room_->pieces.front().data() && to.data() < room_->pieces.front().data() + room_->pieces.front().size())\n"
        "      std::memcpy(to.data(), payload.data(), to.size());"),
    "a-lane-stays-open-to-a-process-that-was-replaced": Mutant(
        MEMBER + "job_member.cc", "    if (roster.has({slot, incarnation})) {\n",
        "    if (roster.has({slot, incarnation}) || true) {\n"),
    "lanes-live-on-in-a-new-term": Mutant(
        MEMBER + "job_member.cc", "  if (is_new_term) beginTerm();\n",
        "  if (is_new_term && false) beginTerm();\n"),
    "who-sums-hears-of-the-roster-last": Mutant(
        MEMBER + "job_member.cc",
        "  if (sums_) sums_->onRoster(roster, *plan_);\n  if (is_new_term) beginTerm();\n  openLanes(roster);\n"
        "  if (training_) training_->onRoster(roster);",
        "  if (is_new_term) beginTerm();\n  openLanes(roster);\n  if (training_) training_->onRoster(roster);\n"
        "  if (sums_) sums_->onRoster(roster, *plan_);"),
    # What a member says and hears
    "weights-agreed-under-a-roster-before-count": Mutant(
        MEMBER + "training.cc", "      if (!isOfRoster(header)) return;\n", ""),
    "a-halt-replaces-a-stop": Mutant(
        MEMBER + "training.cc", "(halts && is_stopping_ && !reported_.stopped)", "false"),
    "a-halt-is-not-said-again": Mutant(
        MEMBER + "training.cc", "  if (reported_.halted) tellHalted();\n", ""),
    "a-sum-is-delivered-after-prepare": Mutant(
        MEMBER + "training.cc", "  if (is_prepared_ && !committed_) {",
        "  if (is_prepared_ && !committed_ && step < 0) {"),
    "readiness-is-not-said-again": Mutant(
        MEMBER + "training.cc", "  if (reported_.is_ready) tellReady();\n  for", "  for"),
    "contributions-go-before-states": Mutant(
        MEMBER + "training.cc", "  contributions_.hold(states_.isSending());", "  contributions_.hold(false);"),
    "a-stop-takes-the-result-away": Mutant(
        "exchange/course/training_course.cc", "end == ExitCode::kLostPeers || end == ExitCode::kStopped;",
        "end == ExitCode::kLostPeers;"),
}

# Another guard has the same effect, or the fault shows for a moment only: docs/design/exchange.md says which.
MISSED = {"contributions-to-a-roster-before-are-added", "sums-of-a-roster-before-are-taken",
          "a-halt-replaces-a-stop"}


def sh(command, folder, **options):
    return subprocess.run(command, cwd=folder, text=True, check=False, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, **options)


def build(tree, preset):
    done = sh(["cmake", "--build", "--preset", preset, "--target", TARGET], tree)
    return "" if done.returncode == 0 else done.stdout[-3000:]


def seeds_until_found(tree, preset, seeds):
    """The first seed that fails, and what the test says of it; (None, "") where none does."""
    program = f"build/{preset}/bin/{TARGET}"
    for first in range(1, seeds + 1, AT_ONCE):
        environment = os.environ | {"SUMAC_SIMULATION_FIRST_SEED": str(first),
                                    "SUMAC_SIMULATION_SEEDS": str(min(AT_ONCE, seeds + 1 - first))}
        try:
            done = sh([program, "--run_test=simulation_members/whoever*", "--log_level=error", "--color_output=no"],
                      tree, env=environment, timeout=LONGEST)
        except subprocess.TimeoutExpired:
            return first, "hangs"
        if done.returncode == 0:
            continue
        found = re.search(r"seed (\d+): (.*)", done.stdout)
        if found:
            return int(found[1]), found[2]
        last = [line for line in done.stdout.splitlines() if line.strip()]
        return first, "crashes: " + (last[-1] if last else str(done.returncode))
    return None, ""


def prepare(tree, preset):
    if not tree.exists():
        subprocess.run(["git", "clone", "-q", "-s", str(ROOT), str(tree)], check=True)
        subprocess.run(["cmake", "--log-level=WARNING", "--preset", preset], cwd=tree, check=True)
    else:
        subprocess.run(["git", "fetch", "-q"], cwd=tree, check=True)
    head = sh(["git", "rev-parse", "HEAD"], ROOT).stdout.strip()
    subprocess.run(["git", "checkout", "-q", "--force", "--detach", head], cwd=tree, check=True)


def plant(tree, preset, name, seeds):
    """"found", "missed", "stale" or "does not build", and what is to be said of it."""
    mutant = MUTANTS[name]
    path = tree / mutant.file
    text = path.read_text(encoding="utf-8")
    if text.count(mutant.old) != 1:
        return "stale", f"{text.count(mutant.old)} places in {mutant.file}"
    path.write_text(text.replace(mutant.old, mutant.new), encoding="utf-8")
    try:
        if wrong := build(tree, preset):
            return "does not build", wrong
        seed, why = seeds_until_found(tree, preset, seeds)
        return ("missed", f"{seeds} seeds") if seed is None else ("found", f"seed {seed}: {why}")
    finally:
        path.write_text(text, encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("work", type=pathlib.Path)
    parser.add_argument("mutants", nargs="*")
    parser.add_argument("--seeds", type=int, default=2000)
    parser.add_argument("--preset", default="dev")
    options = parser.parse_intermixed_args()
    if unknown := set(options.mutants) - set(MUTANTS):
        sys.exit(f"mutants.py: no mutant {' '.join(sorted(unknown))}; there are {' '.join(MUTANTS)}")
    tree = options.work.resolve() / "tree"
    tree.parent.mkdir(parents=True, exist_ok=True)
    prepare(tree, options.preset)
    outcomes = {}
    for name in options.mutants or MUTANTS:
        outcomes[name], what = plant(tree, options.preset, name, options.seeds)
        print(f"{outcomes[name]:8} {name}: {what}", flush=True)
    found = sum(outcome == "found" for outcome in outcomes.values())
    print(f"{found} of {len(outcomes)} found")
    sys.exit(any(outcome != "found" and name not in MISSED for name, outcome in outcomes.items()))


if __name__ == "__main__":
    main()
