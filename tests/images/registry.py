"""A registry of images on this machine, which keeps everything in memory: as much of the OCI
distribution protocol as pushing and pulling need."""

import hashlib
import http.server
import itertools
import re
import threading


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, status, body=b"", **headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def body(self):
        if self.headers.get("Transfer-Encoding") != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length", 0)))
        text = b""
        while size := int(self.rfile.readline(), 16):
            text += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return text

    def keep(self, content, kind="application/octet-stream"):
        digest = "sha256:" + hashlib.sha256(content).hexdigest()
        self.server.registry.contents[digest] = content
        self.server.registry.kinds[digest] = kind
        return digest

    def do_GET(self):
        registry = self.server.registry
        if self.path == "/v2/":
            return self.answer(200)
        match = re.fullmatch(r"/v2/(.+)/(?:blobs|manifests)/([^/]+)", self.path)
        digest = registry.digests.get(f"{match[1]}:{match[2]}", match[2]) if match else None
        if digest not in registry.contents:
            return self.answer(404)
        return self.answer(200, registry.contents[digest], Content_Type=registry.kinds[digest],
                           Docker_Content_Digest=digest)

    do_HEAD = do_GET

    def do_POST(self):
        self.body()
        self.answer(202, Location="/uploads/" + self.server.registry.begin())

    def do_PATCH(self):
        self.server.registry.uploads[self.path] += self.body()
        self.answer(202, Location=self.path)

    def do_PUT(self):
        registry = self.server.registry
        path, _, _ = self.path.partition("?")
        if path in registry.uploads:
            digest = self.keep(registry.uploads.pop(path) + self.body())
        else:
            name, tag = re.fullmatch(r"/v2/(.+)/manifests/([^/]+)", path).groups()
            digest = registry.digests[f"{name}:{tag}"] = self.keep(self.body(), self.headers["Content-Type"])
        self.answer(201, Docker_Content_Digest=digest)


class Registry:
    """Listens while it is entered. `digests`: by NAME:TAG; `contents`: by digest."""

    def __init__(self):
        self.digests, self.contents, self.kinds, self.uploads = {}, {}, {}, {}
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.registry = self
        self.address = f"127.0.0.1:{self.server.server_address[1]}"
        self.numbers = itertools.count()

    def begin(self):
        number = str(next(self.numbers))
        self.uploads[f"/uploads/{number}"] = b""
        return number

    def __enter__(self):
        self.thread = threading.Thread(target=self.server.serve_forever)
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()
