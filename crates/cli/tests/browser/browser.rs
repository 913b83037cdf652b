//! A headless Chromium, spoken to over its DevTools pipe.
//!
//! The browser reads commands from file descriptor 3 and writes answers to 4, each ended by a zero
//! byte. A shell connects these to its own input and output, so that no port is opened and nothing
//! but the standard library is needed.

use std::ffi::OsString;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::{Value as Json, json};

/// A browser that hangs fails its test.
const PATIENCE: Duration = Duration::from_secs(60);

/// A browser with one page.
pub struct Browser {
    child: Child,
    commands: ChildStdin,
    answers: Receiver<Json>,
    session: Option<String>,
    n_sent: u64,
    /// What the page complained about: exceptions, errors on the console, dialogs.
    pub complaints: Vec<String>,
}

impl Browser {
    /// Starts a browser with an empty page; `profile` is a folder for what it keeps. It sees only
    /// pages that we made, and containers often have no sandbox, so it does without.
    pub fn start(profile: &Path) -> Browser {
        let mut child = Command::new("sh")
            .args(["-c", "exec \"$@\" 3<&0 4>&1 0</dev/null 1>/dev/null 2>/dev/null", "sh"])
            .arg(find())
            .args(["--headless", "--remote-debugging-pipe", "--no-first-run", "--disable-gpu"])
            .args(["--no-sandbox", "--disable-dev-shm-usage", "--window-size=1400,900"])
            .arg({
                let mut argument = OsString::from("--user-data-dir=");
                argument.push(profile);
                argument
            })
            .arg("about:blank")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the browser starts");
        let commands = child.stdin.take().expect("its input is a pipe");
        let output = BufReader::new(child.stdout.take().expect("its output is a pipe"));
        let (sender, answers) = channel();
        std::thread::spawn(move || {
            for message in output.split(0).map_while(Result::ok) {
                let json = serde_json::from_slice(&message).unwrap_or_default();
                if sender.send(json).is_err() {
                    return;
                }
            }
        });
        let complaints = Vec::new();
        let mut browser =
            Browser { child, commands, answers, session: None, n_sent: 0, complaints };
        browser.attach();
        browser
    }

    fn attach(&mut self) {
        let target = self.send("Target.createTarget", json!({"url": "about:blank"}));
        let params = json!({"targetId": target["targetId"], "flatten": true});
        let session = self.send("Target.attachToTarget", params);
        self.session = session["sessionId"].as_str().map(String::from);
        for domain in ["Page", "Runtime", "Log"] {
            self.send(&format!("{domain}.enable"), json!({}));
        }
        self.resize(1400, 900);
    }

    /// Gives the window a size.
    pub fn resize(&mut self, width: u32, height: u32) {
        let size =
            json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false});
        self.send("Emulation.setDeviceMetricsOverride", size);
    }

    /// Sends a command and waits for its answer.
    pub fn send(&mut self, method: &str, params: Json) -> Json {
        self.n_sent += 1;
        let mut message = json!({"id": self.n_sent, "method": method, "params": params});
        if let Some(session) = &self.session {
            message["sessionId"] = json!(session);
        }
        self.commands.write_all(format!("{message}\0").as_bytes()).expect("the browser listens");
        loop {
            let answer = self.answers.recv_timeout(PATIENCE);
            let mut answer = answer.unwrap_or_else(|_| panic!("no answer to {method}"));
            if answer["id"] == json!(self.n_sent) {
                assert!(answer["error"].is_null(), "{method}: {}", answer["error"]);
                return answer["result"].take();
            }
            self.note(&answer);
        }
    }

    fn note(&mut self, event: &Json) {
        let params = &event["params"];
        let complaint = match event["method"].as_str() {
            Some("Runtime.exceptionThrown") => params["exceptionDetails"].to_string(),
            Some("Runtime.consoleAPICalled") if params["type"] == "error" => params.to_string(),
            Some("Log.entryAdded") if params["entry"]["level"] == "error" => params.to_string(),
            Some("Page.javascriptDialogOpening") => format!("a dialog: {params}"),
            _ => return,
        };
        self.complaints.push(complaint);
    }

    /// Opens a report at an address in it.
    pub fn open(&mut self, file: &Path, hash: &str) {
        self.open_page(file, hash, "main h1");
    }

    /// Opens a file at an address in it, and waits until it shows an element.
    pub fn open_page(&mut self, file: &Path, hash: &str, element: &str) {
        let mut url = String::from("file://");
        for byte in file.to_string_lossy().bytes() {
            match byte {
                b'/' | b'-' | b'_' | b'.' | b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' => {
                    url.push(byte as char);
                }
                other => url.push_str(&format!("%{other:02X}")),
            }
        }
        self.send("Page.navigate", json!({"url": format!("{url}{hash}")}));
        self.until(&format!(
            "document.readyState === 'complete' && document.querySelector('{element}')"
        ));
    }

    /// The value of an expression in the page.
    pub fn value(&mut self, expression: &str) -> Json {
        let params = json!({"expression": expression, "awaitPromise": true, "returnByValue": true});
        let mut answer = self.send("Runtime.evaluate", params);
        let thrown = &answer["exceptionDetails"];
        assert!(thrown.is_null(), "{expression}: {thrown}");
        answer["result"]["value"].take()
    }

    /// Waits until an expression holds. One that throws does not: what it asks about may not be there yet.
    pub fn until(&mut self, expression: &str) {
        let text = json!(expression);
        self.value(&format!(
            "new Promise((done, fail) => {{ let left = 1200; const look = () => {{ \
             let holds = false, why = 'in vain'; \
             try {{ holds = ({expression}); }} catch (error) {{ why = error.message; }} \
             if (holds) done(true); \
             else if (left-- > 0) requestAnimationFrame(look); \
             else fail(new Error(why + ': ' + {text} + ' at ' + location.hash)); }}; look(); }})"
        ));
    }

    /// Clicks in the middle of the first element that a selector finds, as a pointer does.
    pub fn click(&mut self, selector: &str) {
        let find = format!("document.querySelector({})", json!(selector));
        self.until(&find);
        // What was just drawn may still move.
        let place = self.value(&format!(
            "new Promise((done) => {{ let before = null; const look = () => {{ const one = {find}; \
             one?.scrollIntoView({{block: 'nearest'}}); const box = one?.getBoundingClientRect(); \
             const now = box && [box.x + box.width / 2, box.y + box.height / 2]; \
             if (now && String(now) === String(before)) done(now); \
             else {{ before = now; requestAnimationFrame(look); }} }}; look(); }})"
        ));
        for kind in ["mousePressed", "mouseReleased"] {
            let params = json!({"type": kind, "x": place[0], "y": place[1],
                                "button": "left", "clickCount": 1});
            self.send("Input.dispatchMouseEvent", params);
        }
    }

    /// Presses a key.
    pub fn press(&mut self, key: &str) {
        let mut down = json!({"type": "keyDown", "key": key});
        if key.chars().count() == 1 {
            down["text"] = json!(key);
        }
        self.send("Input.dispatchKeyEvent", down);
        self.send("Input.dispatchKeyEvent", json!({"type": "keyUp", "key": key}));
    }

    /// Types a text.
    pub fn type_text(&mut self, text: &str) {
        self.send("Input.insertText", json!({"text": text}));
    }

    /// Writes what is seen as a picture, for people to look at.
    pub fn screenshot(&mut self, file: &Path) {
        // A frame later all that was asked for is drawn.
        self.value(
            "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))",
        );
        let shot = self.send("Page.captureScreenshot", json!({"format": "png"}));
        let bytes = decode(shot["data"].as_str().unwrap_or_default());
        assert!(bytes.starts_with(b"\x89PNG"), "the browser makes a picture");
        std::fs::write(file, bytes).expect("the picture can be written");
    }
}

/// The bytes of a text in base64.
fn decode(text: &str) -> Vec<u8> {
    let (mut bytes, mut bits, mut n_bits) = (Vec::new(), 0_u32, 0);
    for c in text.bytes() {
        let digit = match c {
            b'A'..=b'Z' => c - b'A',
            b'a'..=b'z' => c - b'a' + 26,
            b'0'..=b'9' => c - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => break,
        };
        bits = bits << 6 | u32::from(digit);
        n_bits += 6;
        if n_bits >= 8 {
            n_bits -= 8;
            bytes.push((bits >> n_bits) as u8);
        }
    }
    bytes
}

impl Drop for Browser {
    fn drop(&mut self) {
        // It may be gone already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The browser: `$CHROME`, or one of the usual names.
fn find() -> PathBuf {
    if let Some(path) = std::env::var_os("CHROME") {
        return path.into();
    }
    let paths = std::env::var_os("PATH").unwrap_or_default();
    let names = ["chromium", "chromium-browser", "google-chrome", "chrome"];
    let all = names.iter().flat_map(|name| {
        std::env::split_paths(&paths).map(move |folder| folder.join(name)).collect::<Vec<_>>()
    });
    let found = all.into_iter().find(|path| path.is_file());
    found.expect("there is no Chromium: run scripts/install-test-tools")
}
