"""A headless Chromium, driven through a pipe by its DevTools protocol, with nothing but Python's library."""

import base64, fcntl, json, os, re, select, shutil, signal, subprocess, tempfile, time

OPTIONS = [
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars", "--no-first-run",
    "--disable-background-networking", "--disable-extensions", "--disable-component-update", "--disable-sync",
]


class Failure(Exception):
    """What a page does not do."""


class Browser:
    """One browser with a profile of its own, and one page."""

    def __init__(self):
        self.profile = tempfile.mkdtemp()
        # Chromium reads commands at descriptor 3 and writes answers at 4.
        (its_input, self.commands), (self.answers, its_output) = os.pipe(), os.pipe()
        its_ends = [fcntl.fcntl(end, fcntl.F_DUPFD, 10) for end in (its_input, its_output)]
        nothing = os.open(os.devnull, os.O_RDWR)
        arguments = [shutil.which("chromium"), *OPTIONS, "--remote-debugging-pipe", "--user-data-dir=" + self.profile, "about:blank"]
        self.process = os.posix_spawn(
            arguments[0], arguments, os.environ, setpgroup=0,
            file_actions=[
                *((os.POSIX_SPAWN_DUP2, nothing, target) for target in (0, 1, 2)),
                (os.POSIX_SPAWN_DUP2, its_ends[0], 3), (os.POSIX_SPAWN_DUP2, its_ends[1], 4)])
        for end in (its_input, its_output, nothing, *its_ends):
            os.close(end)
        self.buffer, self.number, self.session = b"", 0, None
        self.events = []
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.send(domain + ".enable")

    def close(self):
        try:
            self.session = None
            self.send("Browser.close", seconds=10)
        except Failure:
            pass
        for _ in range(100):
            if os.waitpid(self.process, os.WNOHANG)[0]:
                break
            time.sleep(0.1)
        else:
            os.killpg(self.process, signal.SIGKILL)
            os.waitpid(self.process, 0)
        shutil.rmtree(self.profile, ignore_errors=True)

    def send(self, method, seconds=120, **parameters):
        """The answer to a command. What happens meanwhile is appended to `events`."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.commands, json.dumps(message).encode() + b"\0")
        limit = time.monotonic() + seconds
        while True:
            answer = self.next_message(limit)
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise Failure(f"{method}: {answer['error']['message']}")
                return answer["result"]
            self.events.append(answer)

    def next_message(self, limit):
        while b"\0" not in self.buffer:
            if not select.select([self.answers], [], [], max(0, limit - time.monotonic()))[0]:
                raise Failure("The browser does not answer.")
            part = os.read(self.answers, 1 << 20)
            if not part:
                raise Failure("The browser has ended.")
            self.buffer += part
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def evaluate(self, script, seconds=60):
        """The value of an expression, or of the promise that it is."""
        answer = self.send(
            "Runtime.evaluate", seconds=seconds, expression=script, awaitPromise=True, returnByValue=True, userGesture=True)
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            raise Failure(details.get("exception", {}).get("description", details["text"]))
        return answer["result"].get("value")

    def wait(self, condition, seconds=15):
        """Waits until an expression is true, and returns its value."""
        script = f"""new Promise((resume) => {{
            const limit = performance.now() + {seconds * 1000};
            const look = () => {{
                const found = ({condition});
                if (found || performance.now() > limit) {{ resume(found instanceof Node ? true : found); }} else {{ setTimeout(look, 20); }}
            }};
            look();
        }})"""
        for attempt in range(5):
            try:
                found = self.evaluate(script, seconds=seconds + 30)
                break
            except Failure as failure:
                # What is waited for may be on the page to which this one leads.
                if attempt == 4 or not re.search("navigated|context", str(failure)):
                    raise
        if not found:
            raise Failure(f"This does not become true: {condition}")
        return found

    def open(self, address, ready):
        """Opens a page and waits until an expression is true in it."""
        self.send("Page.navigate", url="about:blank")
        self.send("Page.navigate", url=address)
        self.wait(f"location.href !== 'about:blank' && document.readyState === 'complete' && ({ready})")

    def resize(self, width, height, is_touched=False):
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=is_touched)
        self.send("Emulation.setTouchEmulationEnabled", enabled=is_touched, maxTouchPoints=1)
        self.settle()

    def paint(self, scheme):
        self.send("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.settle()
        # Colours that change little by little.
        self.evaluate("Promise.all(document.getAnimations().map((animation) => animation.finished.catch(() => null))).then(() => true)")

    def settle(self):
        """Two frames, by which listeners have run and what they change has been laid out."""
        self.evaluate("new Promise((resume) => requestAnimationFrame(() => requestAnimationFrame(() => resume(true))))")

    def screenshot(self, path):
        picture = self.send("Page.captureScreenshot", format="png", optimizeForSpeed=True)
        with open(path, "wb") as file:
            file.write(base64.b64decode(picture["data"]))

    def place(self, element):
        """The middle of an element, once it is in sight and stays where it is: pictures above it may still be loading."""
        before, place = None, self.middle(element)
        while place != before:
            self.settle()
            before, place = place, self.middle(element)
        return place

    def middle(self, element):
        place = self.evaluate(
            f"""(() => {{
                const element = {element};
                if (!element) {{ return null; }}
                element.scrollIntoView({{ block: "center", inline: "center", behavior: "instant" }});
                const box = element.getBoundingClientRect();
                return [box.x + box.width / 2, box.y + box.height / 2];
            }})()""")
        if place is None:
            raise Failure(f"There is no {element}")
        return place

    def click(self, element):
        x, y = self.place(element)
        for kind in ("mousePressed", "mouseReleased"):
            self.send("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", buttons=1, clickCount=1)

    def drag(self, element, distance, by_touch):
        """Moves an element to the side, in steps, as a hand does."""
        x, y = self.place(element)
        steps = [x + distance * step / 5 for step in range(1, 6)]
        if by_touch:
            self.send("Input.dispatchTouchEvent", type="touchStart", touchPoints=[{"x": x, "y": y}])
            for place in steps:
                self.send("Input.dispatchTouchEvent", type="touchMove", touchPoints=[{"x": place, "y": y}])
            self.send("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])
        else:
            self.send("Input.dispatchMouseEvent", type="mousePressed", x=x, y=y, button="left", buttons=1, clickCount=1)
            for place in steps:
                self.send("Input.dispatchMouseEvent", type="mouseMoved", x=place, y=y, button="left", buttons=1)
            self.send("Input.dispatchMouseEvent", type="mouseReleased", x=steps[-1], y=y, button="left", buttons=0, clickCount=1)

    def type(self, text):
        self.send("Input.insertText", text=text)

    def press(self, key, code, control=False):
        for kind in ("rawKeyDown", "keyUp"):
            self.send(
                "Input.dispatchKeyEvent", type=kind, key=key, code=key if len(key) > 1 else "Key" + key.upper(),
                windowsVirtualKeyCode=code, modifiers=2 if control else 0)

    def problems(self, address):
        """Since the last call: errors on the console, files that did not load, and requests to anywhere but an address."""
        # What has happened stands before the answer to a command.
        self.evaluate("true")
        found = []
        for event in self.events:
            parameters = event.get("params", {})
            match event.get("method"):
                case "Runtime.exceptionThrown":
                    details = parameters["exceptionDetails"]
                    found.append("exception: " + details.get("exception", {}).get("description", details["text"]))
                case "Runtime.consoleAPICalled" if parameters["type"] in ("error", "assert"):
                    found.append("console: " + " ".join(str(part.get("value", part.get("description"))) for part in parameters["args"]))
                case "Log.entryAdded" if parameters["entry"]["level"] == "error":
                    found.append(f"console: {parameters['entry']['text']} {parameters['entry'].get('url', '')}")
                case "Network.requestWillBeSent":
                    url = parameters["request"]["url"]
                    if not url.startswith((address, "about:", "data:", "blob:")):
                        found.append(f"request to {url}")
        self.events.clear()
        return found
