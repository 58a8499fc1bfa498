"""A headless Chromium, driven through a pair of pipes with its DevTools protocol."""

import base64, json, os, select, shutil, subprocess, tempfile, time

FLAGS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--remote-debugging-pipe"]


class Browser:
    """One browser with one page open."""

    def __init__(self):
        self.profile = tempfile.mkdtemp()
        requests, self.output = os.pipe()
        self.input, answers = os.pipe()
        # Chromium reads from descriptor 3 and writes to 4.
        command = f'exec chromium "$@" 3<&{requests} 4>&{answers}'
        self.process = subprocess.Popen(
            ["bash", "-c", command, "chromium", *FLAGS, "--user-data-dir=" + self.profile, "about:blank"],
            pass_fds=(requests, answers), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(requests)
        os.close(answers)
        self.received, self.count, self.session = b"", 0, None
        self.complaints = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ["Page", "Runtime", "Log"]:
            self.call(domain + ".enable")

    def call(self, method, **parameters):
        """Sends a command and returns its result."""
        self.count += 1
        message = {"id": self.count, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.output, json.dumps(message).encode() + b"\0")
        deadline = time.monotonic() + 120
        while True:
            answer = self.next_message(deadline)
            if answer.get("id") == self.count:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]
            self.note(answer)

    def next_message(self, deadline):
        while b"\0" not in self.received:
            if not select.select([self.input], [], [], max(0, deadline - time.monotonic()))[0]:
                raise TimeoutError("Chromium does not answer.")
            part = os.read(self.input, 1 << 20)
            if not part:
                raise RuntimeError("Chromium has ended.")
            self.received += part
        message, self.received = self.received.split(b"\0", 1)
        return json.loads(message)

    def note(self, event):
        """Keeps what a reader's console would show as an error."""
        details = event.get("params", {})
        if event.get("method") == "Runtime.exceptionThrown":
            exception = details["exceptionDetails"]
            self.complaints.append(exception.get("exception", {}).get("description") or exception["text"])
        elif event.get("method") == "Runtime.consoleAPICalled" and details["type"] in ("error", "assert"):
            self.complaints.append(" ".join(str(part.get("value", part.get("description"))) for part in details["args"]))
        elif event.get("method") == "Log.entryAdded" and details["entry"]["level"] == "error":
            self.complaints.append(f"{details['entry']['text']} {details['entry'].get('url', '')}")

    def evaluate(self, expression):
        """The value of an expression in the page, awaited if it is a promise."""
        answer = self.call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{expression}: {answer['exceptionDetails']['exception'].get('description')}")
        return answer["result"].get("value")

    def wait(self, expression, seconds=30):
        """Looks at an expression until it is true, and returns its value, or None when the time is over."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            try:
                if value := self.evaluate(expression):
                    return value
            except RuntimeError:
                pass  # The page is just being replaced.
            time.sleep(0.03)
        return None

    def show(self, address, width=1300, height=1000, dark=False, ready="document.readyState == 'complete'"):
        """Opens an address in a window of a size, and waits until it is ready."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 500)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])
        self.call("Page.navigate", url="about:blank")
        self.call("Page.navigate", url=address)
        return self.wait(f"location.href != 'about:blank' && ({ready})")

    def type(self, text):
        self.call("Input.insertText", text=text)

    def drag(self, start, end):
        """Presses the mouse at one point and releases it at another."""
        for kind, (x, y) in [("mousePressed", start), ("mouseMoved", end), ("mouseReleased", end)]:
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", buttons=1, clickCount=1)

    def screenshot(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))

    def close(self):
        try:
            self.session = None
            self.call("Browser.close")
            self.process.wait(timeout=10)
        except (RuntimeError, TimeoutError, OSError, subprocess.TimeoutExpired):
            self.process.kill()
        shutil.rmtree(self.profile, ignore_errors=True)
