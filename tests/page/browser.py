"""A headless Chromium that answers to the DevTools protocol over two pipes: nothing but Python is needed."""

import base64
import json
import os
import pathlib
import select
import subprocess
import tempfile
import time
import types
import typing

DEADLINE_SECONDS = 60  # of one answer, on however busy a machine

Message = typing.Dict[str, typing.Any]


class Browser:
    """One Chromium with one tab. What a page logs, fails in and asks for is kept until the next is opened."""

    def __init__(self, program: str) -> None:
        self.profile = tempfile.TemporaryDirectory(prefix="sumac-browser-")
        to_child, self.output = os.pipe()
        self.input, from_child = os.pipe()
        # The protocol's pipes are descriptors 3 and 4 of the browser. Root has no sandbox there.
        command = (f'exec 3<&{to_child} 4>&{from_child}; exec "$0" --headless=new --no-sandbox --disable-gpu'
                   ' --disable-dev-shm-usage --no-first-run --disable-background-networking --remote-debugging-pipe'
                   ' --user-data-dir="$1" about:blank')
        self.process = subprocess.Popen(["bash", "-c", command, program, self.profile.name],
                                        pass_fds=(to_child, from_child), stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL)
        os.close(to_child)
        os.close(from_child)
        self.buffer = b""
        self.events: typing.List[Message] = []
        self.last_id = 0
        self.session: typing.Optional[str] = None
        target = next(tab for tab in self.call("Target.getTargets")["targetInfos"] if tab["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=target["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def __enter__(self) -> "Browser":
        return self

    def __exit__(self, kind: typing.Optional[type], error: typing.Optional[BaseException],
                 trace: typing.Optional[types.TracebackType]) -> None:
        # Killed, it would leave children behind that still write into its profile.
        os.write(self.output, json.dumps({"id": self.last_id + 1, "method": "Browser.close"}).encode() + b"\0")
        try:
            self.process.wait(DEADLINE_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.input)
        os.close(self.output)
        self.profile.cleanup()

    def receive(self, deadline: float) -> Message:
        while b"\0" not in self.buffer:
            ready, _, _ = select.select([self.input], [], [], max(deadline - time.monotonic(), 0))
            if not ready:
                raise TimeoutError("the browser does not answer")
            chunk = os.read(self.input, 1 << 20)
            if not chunk:
                raise ConnectionError("the browser ended")
            self.buffer += chunk
        line, self.buffer = self.buffer.split(b"\0", 1)
        message: Message = json.loads(line)
        return message

    def call(self, method: str, **parameters: typing.Any) -> Message:
        self.last_id += 1
        message: Message = {"id": self.last_id, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.output, json.dumps(message).encode() + b"\0")
        deadline = time.monotonic() + DEADLINE_SECONDS
        while True:
            answer = self.receive(deadline)
            if answer.get("id") != self.last_id:
                self.events.append(answer)
            elif "error" in answer:
                raise RuntimeError(f"{method}: {answer['error']['message']}")
            else:
                result: Message = answer["result"]
                return result

    def open(self, file: pathlib.Path) -> None:
        """Opens a file and waits until it is shown."""
        self.events = []
        self.call("Page.navigate", url=file.resolve().as_uri())
        deadline = time.monotonic() + DEADLINE_SECONDS
        while not any(event.get("method") == "Page.loadEventFired" for event in self.events):
            self.events.append(self.receive(deadline))

    def show_as(self, width: int, scheme: str = "light", medium: str = "screen") -> None:
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setEmulatedMedia", media=medium,
                  features=[{"name": "prefers-color-scheme", "value": scheme}])

    def evaluate(self, script: str) -> typing.Any:
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"]["exception"]["description"])
        return answer["result"].get("value")

    def complaints(self) -> typing.List[str]:
        """What the page logged and where it failed."""
        return [json.dumps(event["params"]) for event in self.events
                if event.get("method") in ("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded")]

    def requests(self) -> typing.List[str]:
        """What the page asked for, itself included."""
        return [event["params"]["request"]["url"] for event in self.events
                if event.get("method") == "Network.requestWillBeSent"]

    def screenshot(self, size: typing.Optional[typing.Tuple[int, int]] = None) -> bytes:
        """The whole page as PNG, or its beginning: so many pixels from the left and from the top."""
        whole = self.call("Page.getLayoutMetrics")["cssContentSize"]
        width, height = size or (whole["width"], whole["height"])
        clip = {"x": 0, "y": 0, "width": width, "height": height, "scale": 1}
        answer = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=True, clip=clip)
        return base64.b64decode(answer["data"])
