#!/usr/bin/env python3
"""sumac.torch on a stand-in for PyTorch (standin/torch), with scripted turns (turns.c): what a training needs besides
arithmetic. tests/torch has the same questions to PyTorch.

    standin_test.py LIBRARY
"""

import os
import pathlib
import sys
import unittest

from programs import HERE, ROOT, STANDIN, Run, clean

os.environ["SUMAC_LIBRARY"] = str(pathlib.Path(sys.argv.pop(1)).resolve()) if len(sys.argv) > 1 else ""
sys.path[:0] = [str(STANDIN), str(ROOT / "python")]

import torch  # noqa: E402

from sumac.torch import _flat, _state  # noqa: E402


def tearDownModule():
    clean()


def model(*words, turns=""):
    return Run(HERE / "model.py", *words, SUMAC_TEST_TURNS=turns)


# What must not change a bit: other turns, processes that load, and checks.
SAME = {"again": "again:3", "from step 0": "back:9:0", "from step 4": "back:9:4", "verify": "verify:4"}

# What is wrong with a program, and what it ends with.
WRONG = {
    "time": "was computed twice with different results, first in the gradient of 'weight'",
    "graph": "TypeError: the loss has no graph",
    "shape": "TypeError: loss returned a tensor of shape [3]; it returns a scalar",
    "sample": "KeyError: 'no such picture'",
    "length": "the data set is a Length without a length",
    "gpu": "'weight' is on cuda:0; Sumac computes on CPUs only: call model.cpu()",
    "half": "'unused' is float16; parameters that are trained are torch.float32",
    "optimizer": "parameter group 0 of the optimizer has a parameter of shape [7]",
    "complex": "'unused' is complex64; parameters that are trained are torch.float32",
    "reshaped": "the gradient of 'weight' has 7 values, the parameter",
    "added": "the optimizer has 5 parameters, and had 4 as train() began",
    "extra": "loss returned the numbers ['smallest']; extra= names ['largest']",
    "frozen": "'frozen' was frozen as train() began, and is no longer",
    "buffer": "the model changes its buffer 'third', and did not as train() began",
}


class StandinTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.plain = model()
        cls.same = {name: model(turns=turns) for name, turns in SAME.items()}
        cls.same["two processes that load"] = model("loaders=2")
        cls.same["one, and a step again"] = model("loaders=1", turns="again:3")
        cls.same["an evaluation that stays"] = model("fault=mode")
        cls.unequal = {name: model("batch=51", "parts=5", turns=turns) for name, turns in SAME.items()}
        cls.parts = [model("plain=1", f"parts={parts}") for parts in (1, 4, 7)]
        cls.wrong = {name: model(f"fault={name}", turns="verify:4") for name in WRONG}

    def test_turns_and_loading_processes_change_no_bit(self):
        self.assertEqual(self.plain.code, 0, self.plain.errors)
        for name, run in self.same.items():
            with self.subTest(name):
                self.assertEqual(run.code, 0, run.errors)
                self.assertEqual(run.lines, self.plain.lines)

    def test_unequal_parts_do_neither(self):
        for name, run in self.unequal.items():
            with self.subTest(name):
                self.assertEqual(run.code, 0, run.errors)
                self.assertEqual(run.lines, self.unequal["again"].lines)
        self.assertNotEqual(self.unequal["again"].lines["weights"], self.plain.lines["weights"])

    def test_parts_of_any_size_weigh_what_they_have(self):
        whole, *others = [list(map(float, run.lines["values"].split())) for run in self.parts]
        for values in others:
            for value, expected in zip(values, whole):
                self.assertAlmostEqual(value, expected, delta=1e-5)

    def test_counters_count_steps_and_constants_stay(self):
        for run in (self.plain, self.unequal["again"]):
            self.assertEqual(run.lines["batches"], "20 third True")

    def test_evaluates_in_evaluation_mode(self):
        self.assertEqual(self.plain.said("metrics"), [f"{step} nan nan" for step in (8, 16, 20)])

    def test_warns_of_a_sparse_gradient_once(self):
        self.assertEqual(self.plain.errors.count("UserWarning: the gradient of 'rare' is sparse"), 1)

    def test_says_what_is_wrong(self):
        for name, message in WRONG.items():
            with self.subTest(name):
                run = self.wrong[name]
                self.assertEqual(run.code, 1, run.errors)
                self.assertIn(message, run.errors)
                if name != "length":
                    self.assertIn(message, run.said()[0])
        self.assertIn("(in dataset[77]) (in part 2 of step", self.wrong["sample"].said()[0])

    def test_registers_what_state_dictionaries_have_whatever_has_changed(self):
        import json
        weight = torch.tensor([1.0, 2.0], torch.float32)
        optimizer = torch.Momentum([weight], 0.1)
        others = {"optimizer": optimizer, "scheduler": torch.Decay(optimizer)}
        state, group = _state.State([("weight", weight)], [], others), optimizer.param_groups[0]

        def step():
            weight.grad = torch.tensor([0.5, 0.5], torch.float32)
            optimizer.step()

        def load():
            copies = {key: {name: value.clone() for name, value in entry.items()} for key, entry in optimizer.state.items()}
            optimizer.load_state_dict({**optimizer.state_dict(), "state": copies})

        changes = [lambda: None, step, step, others["scheduler"].step, load, step, lambda: group.update(lr=1),
                   lambda: group.update(lr=True), lambda: group.update(added=None), others["scheduler"].step,
                   lambda: group.update(betas=[0.1]), lambda: group["betas"].append(0.2), lambda: group.update(betas=()),
                   lambda: optimizer.state[0].update(count=3), lambda: optimizer.state[0].update(count=4),
                   lambda: optimizer.state[0].pop("count"), lambda: optimizer.state.clear(), step]
        for number, change in enumerate(changes):
            change()
            tensors = {"weight": weight}
            tree = {name: _flat.flatten(other.state_dict(), name, tensors) for name, other in others.items()}
            packed, _ = state.pack(number)
            found = {entry.name.decode(): entry.data for entry in packed.tensors[:packed.count]}
            self.assertEqual(found, {name: tensor.data_ptr() for name, tensor in tensors.items()}, number)
            self.assertEqual(packed.text.decode(), json.dumps(tree, separators=(",", ":")), number)
            self.assertEqual(packed.step, number)

    def test_state_dictionaries_become_tensors_and_json_and_come_back(self):
        import json
        weights = torch.tensor([1.0, 2.0])
        given = {"state": {0: {"step": 3, "average": weights}, (1, "a"): [None, True, 0.1]}, "betas": (0.9, 0.999)}
        tensors = {}
        text = json.dumps(_flat.flatten(given, "optimizer", tensors))
        self.assertEqual(list(tensors), ["optimizer/state/0/average"])
        back = _flat.unflatten(json.loads(text), tensors)
        self.assertIs(back["state"][0].pop("average"), weights)
        given["state"][0].pop("average")
        self.assertEqual(back, given)
        with self.assertRaisesRegex(TypeError, "optimizer.hook is a builtin_function_or_method"):
            _flat.flatten({"hook": print}, "optimizer", {})


if __name__ == "__main__":
    unittest.main()
