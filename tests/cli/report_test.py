"""stoker train --report, report and compare; the page in a real browser, where there is one."""
import json
import unittest

import browser
from program import ProgramTest

NASTY = "a<script>alert(1)</script>&\"'b"


class Report(ProgramTest):
    def train(self, *arguments, out="out"):
        return self.succeed_json("train", "recipe.toml", "--out", out, "--set", f'device="/cpu:0"', *arguments)

    def record(self, path="run.json"):
        return json.loads((self.folder / path).read_text())

    def test_train_writes_page_and_record(self):
        result = self.train("--report", "run.html", "--epochs", "8")
        self.assertEqual(result["report"], "run.html")
        self.assertIn("run.json", result["files"])
        run = self.record()
        self.assertEqual(run, {**self.record("out/run.json"), "environment": run["environment"], "timeline": run["timeline"]})
        self.assertEqual((run["name"], run["state"], run["account"]["steps"]), ("recipe", "finished", 32))
        self.assertAlmostEqual(sum(part["seconds"] for part in run["account"]["parts"]), run["account"]["wall"], 6)
        self.assertEqual((run["profile"]["from"], run["profile"]["to"], run["profile"]["steps"]), (10, 20, 11))
        self.assertEqual(run["settings"]["fit.batch_size"], "16")
        self.assertEqual(run["settings"]["data.train.x"], "x.npy")
        self.assertEqual([curve["name"] for curve in run["curves"]], ["accuracy", "loss"])

    def test_profile_takes_steps(self):
        self.train("--profile", "3:5")
        self.assertEqual(self.record("out/run.json")["profile"]["steps"], 3)
        self.train("--profile")
        self.assertIn("Steps 10 to 20 should have been profiled, but the run had only 8 steps.", self.record("out/run.json")["profile"]["note"])
        for bad in ("5:3", "0:3", "x", "3", "3:4x", "3-4"):
            self.refuse("train", "recipe.toml", "--profile", bad, says=["--profile", bad], status=2)

    def test_report_and_trace_of_a_folder(self):
        self.train("--profile", "2:6")
        self.assertEqual(self.succeed_json("report", "out", "--trace", "trace.json")["page"], "out/run.html")
        spans = [event for event in self.record("trace.json")["traceEvents"] if event["ph"] == "X"]
        self.assertTrue({"host", "device"} <= {span["cat"] for span in spans})
        self.succeed("report", "out/run.json", "--out", "page.html")
        self.assertEqual((self.folder / "page.html").read_text(), (self.folder / "out/run.html").read_text())

    def test_compare(self):
        self.train(out="a")
        self.train("--learning-rate", "0.5", out="b")
        found = self.succeed_json("compare", "a", "b/run.json")
        self.assertIn("compile.optimizer.config.learning_rate", [one["name"] for one in found["settings"]])
        self.assertIn("step", [figure["name"] for figure in found["figures"]])
        self.assertEqual(found["model"], [])
        self.assertIn("learning_rate", self.succeed("compare", "a", "b"))

    def test_bad_runs(self):
        self.train()
        text = (self.folder / "out/run.json").read_text()
        self.write("half.json", text[:len(text) // 2])
        self.refuse("report", "half.json", says=["this is not JSON", "name the output folder of stoker train", f"half.json:1:{len(text) // 2 + 1}"])
        self.write("later.json", text.replace('"version": 3', '"version": 4', 1))
        self.refuse("compare", "out", "later.json", says="a record of version 4, and this program reads version 3")
        self.refuse("report", "history.json", says="history.json")
        self.refuse("report", "out/history.json", says="is not a record of a run")
        self.refuse("report", ".", says='has no run.json')
        self.refuse("train", "recipe.toml", "--report", "page.txt", says="does not end with .html")
        self.refuse("train", "recipe.toml", "--report", "no/run.html", says="no/run.html")


@unittest.skipUnless(browser.PROGRAM, browser.MISSING)
class Page(ProgramTest):
    @classmethod
    def setUpClass(cls):
        cls.context = browser.browser()
        cls.browser = cls.context.__enter__()
        cls.addClassCleanup(cls.context.__exit__, None, None, None)

    def open(self, page, **how):
        self.browser.open(self.folder / page, **how)
        self.assertEqual(self.browser.errors, [])
        self.assertEqual(len(self.browser.requests), 1, self.browser.requests)  # the page itself
        self.assertEqual(self.ask("document.documentElement.dataset.ready"), "true")
        self.assertLessEqual(self.ask("document.documentElement.scrollWidth"), self.ask("document.documentElement.clientWidth"))

    def ask(self, expression):
        return self.browser.evaluate(expression)

    def values(self, selector):
        return [float(value) for value in self.ask(f"[...document.querySelectorAll({json.dumps(selector)})].map(e => e.value)")]

    def train(self):
        self.succeed("train", "recipe.toml", "--report", "run.html", "--epochs", "6", "--quiet", "--set", 'device="/cpu:0"')
        return json.loads((self.folder / "run.json").read_text())

    def made_of(self, run):
        self.write("run.json", json.dumps(run))
        self.succeed("report", "run.json")
        return "run.html"

    def test_numbers_are_those_of_the_record(self):
        run = self.train()
        self.open("run.html")
        account = run["account"]
        for key, value in (("busy", account["busy"]), ("wall", account["wall"]), ("steps", account["steps"]), ("peak", run["memory"]["peak"]),
                           ("samples_per_second", account["samples_per_second"]), ("flops", account["work"]["flops"]), ("bytes", account["work"]["bytes"])):
            self.assertEqual(self.values(f"[data-figure={key}] data"), [value], key)
        self.assertEqual(self.values("#parts tbody data"), [part["seconds"] for part in account["parts"]])
        self.assertAlmostEqual(self.values("#parts tfoot data")[0], account["wall"], 6)
        rows = self.ask("[...document.querySelectorAll('#layers tbody tr')].map(r => [r.dataset.layerRow, ...[...r.querySelectorAll('data')].map(d => +d.value)])")
        costs = [layer["cost"] for layer in run["layers"]]
        self.assertEqual(rows, [[cost["name"], *filter(None, [cost["seconds"]]), cost["flops"], cost["bytes"]] for cost in costs])
        self.assertEqual(self.ask("document.querySelectorAll('[data-chart] svg circle').length"), 12)  # two metrics, six epochs
        self.assertGreater(self.ask("document.querySelectorAll('[data-section=a-few-steps] svg rect').length"), 10)
        shown = self.ask("document.querySelector('[data-figure=wall] dd').textContent").split()
        self.assertAlmostEqual(float(shown[0]) * {"s": 1, "ms": 1e-3, "min": 60}[shown[1]] / account["wall"], 1, 1)

    def test_on_a_phone_and_in_the_dark(self):
        self.train()
        self.open("run.html", width=360, mobile=True)
        light = self.ask("getComputedStyle(document.body).backgroundColor")
        self.open("run.html", width=360, mobile=True, dark=True)
        self.assertNotEqual(self.ask("getComputedStyle(document.body).backgroundColor"), light)

    def test_by_keyboard(self):
        self.train()
        self.open("run.html")
        self.ask("document.querySelector('[data-section=a-few-steps] .scroller').focus()")
        before = self.ask("document.querySelector('[data-section=a-few-steps] .readout').textContent")
        self.browser.press("ArrowRight")
        self.assertNotEqual(self.ask("document.querySelector('[data-section=a-few-steps] .readout').textContent"), before)
        rows = self.ask("document.querySelectorAll('#layers tbody tr').length")
        self.ask("document.querySelector('#layers button.more').click()")
        self.assertGreater(self.ask("document.querySelectorAll('#layers tbody tr').length"), rows)
        self.assertEqual(self.ask("document.activeElement.className"), "more")

    def test_bad_names_and_numbers_and_sizes(self):
        run = self.train()
        run["name"] = run["account"]["verdict"] = NASTY
        run["settings"][NASTY] = NASTY
        cost = {"name": NASTY, "calls": 1, "flops": 1.0, "bytes": 1.0, "seconds": 1e-3, "limit": 1e-4, "bound": "compute"}
        run["layers"] = [{"cost": {**cost, "name": f"{NASTY}/{i:04}", "seconds": i * 1e-6}, "ops": [cost]} for i in range(1000)]
        epochs = list(range(1, 10_001))
        run["curves"] = [{"name": NASTY, "epochs": epochs, "values": [None if e % 997 == 0 else 1 / e for e in epochs]},
                         {"name": "never", "epochs": [1], "values": [None]}]
        self.open(self.made_of(run), width=360, mobile=True)
        self.assertEqual(self.ask("document.scripts.length"), 2)
        self.assertEqual(self.ask("document.querySelector('h1').textContent"), NASTY)
        self.assertEqual(self.ask("document.querySelectorAll('#layers tbody tr').length"), 25)
        self.assertEqual(self.ask("document.querySelector('#layers tbody tr').dataset.layerRow"), f"{NASTY}/0999")
        self.ask("[...document.querySelectorAll('button')].find(b => b.textContent == 'Show all 1,000').click()")
        self.assertEqual(self.ask("document.querySelectorAll('#layers tbody tr').length"), 1000)
        self.assertEqual(self.browser.errors, [])

    def test_an_empty_run(self):
        run = self.train()
        for key in ("curves", "layers", "model"):
            run[key] = []
        run["timeline"]["spans"], run["memory"]["places"], run["memory"]["uses"] = [], [], []
        run["account"]["parts"], run["account"]["wall"], run["account"]["busy"] = [], None, 0
        self.open(self.made_of(run))
        self.assertIn("No epoch came to its end.", self.ask("document.body.textContent"))


if __name__ == "__main__":
    unittest.main()
