"""A headless Chromium by its DevTools protocol, over pipes; nothing but the standard library is needed."""
import base64
import contextlib
import json
import os
import pathlib
import select
import shutil
import subprocess
import tempfile
import time

PROGRAM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
MISSING = "there is no Chromium here: apt-get install chromium"
FLAGS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--disable-extensions",
         "--disable-background-networking", "--disable-component-update", "--remote-debugging-pipe"]
TIMEOUT_S = 300


class Browser:
    """One page of a browser. Its logged errors and all of its requests are recorded."""

    def __init__(self, process, to_browser, from_browser):
        self.process, self.to_browser, self.from_browser = process, to_browser, from_browser
        self.buffer, self.next_id, self.session = b"", 1, None
        self.errors, self.requests, self.events = [], [], []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def call(self, method, **parameters):
        number, self.next_id = self.next_id, self.next_id + 1
        message = {"id": number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to_browser, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.read()
            if answer.get("id") == number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]

    def read(self):
        end = time.monotonic() + TIMEOUT_S
        while b"\0" not in self.buffer:
            if not select.select([self.from_browser], [], [], max(0, end - time.monotonic()))[0]:
                raise TimeoutError(f"no word from Chromium in {TIMEOUT_S} s")
            got = os.read(self.from_browser, 1 << 20)
            if not got:
                raise RuntimeError("Chromium has ended")
            self.buffer += got
        text, _, self.buffer = self.buffer.partition(b"\0")
        message = json.loads(text)
        self.note(message.get("method"), message.get("params", {}))
        return message

    def note(self, method, parameters):
        if method == "Runtime.exceptionThrown":
            details = parameters["exceptionDetails"]
            self.errors.append(details.get("exception", {}).get("description") or details["text"])
        elif method == "Runtime.consoleAPICalled" and parameters["type"] in ("error", "warning", "assert"):
            self.errors.append(str([argument.get("value") for argument in parameters["args"]]))
        elif method == "Log.entryAdded" and parameters["entry"]["level"] in ("error", "warning"):
            self.errors.append(parameters["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            self.requests.append(parameters["request"]["url"])
        elif method == "Page.loadEventFired":
            self.events.append(method)

    def open(self, path, width=1100, height=900, dark=False, mobile=False):
        self.errors, self.requests, self.events = [], [], []
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=mobile)
        self.call("Emulation.setScrollbarsHidden", hidden=True)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        self.call("Page.navigate", url=pathlib.Path(path).resolve().as_uri())
        while not self.events:
            self.read()
        # Charts are drawn when their widths are known.
        self.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))")

    def evaluate(self, expression):
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"].get("exception", {}).get("description", "a script failed"))
        return answer["result"].get("value")

    def press(self, key):
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key)

    def screenshot(self, path, whole=True):
        size = self.call("Page.getLayoutMetrics")["cssContentSize"]
        clip = {"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1}
        more = {"clip": clip, "captureBeyondViewport": True} if whole else {}
        answer = self.call("Page.captureScreenshot", format="png", **more)
        pathlib.Path(path).write_bytes(base64.b64decode(answer["data"]))


@contextlib.contextmanager
def browser():
    """A browser with its own profile, which is removed at the end."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        to_child, to_browser = os.pipe()
        from_browser, from_child = os.pipe()

        def place_pipes():  # the browser reads 3 and writes 4
            reads, writes = os.dup(to_child), os.dup(from_child)
            os.dup2(reads, 3)
            os.dup2(writes, 4)

        process = subprocess.Popen([PROGRAM, *FLAGS, f"--user-data-dir={folder}", "about:blank"], preexec_fn=place_pipes, close_fds=False,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={**os.environ, "HOME": folder})
        os.close(to_child)
        os.close(from_child)
        try:
            yield Browser(process, to_browser, from_browser)
        finally:
            process.kill()
            process.wait()
            os.close(to_browser)
            os.close(from_browser)
