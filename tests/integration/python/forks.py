"""Starts programs of tests as forks of one process that has imported NumPy: most of a short program's time is that import.

    forks.py SOCKET      run by programs.py, which sends {"words", "variables", "folder"} and three descriptors: stdout,
                         stderr, and a pipe that gets the exit code

A fork differs from a process of its own in that NumPy and sumac are imported already. Handlers, threads, the library and
`__main__` are its own, and it ends as Python ends: by exceptions, hooks and atexit.
"""

import json
import os
import socket
import sys


def serve(requests):
    """Forks for each request. Returns only in the forks: the words to run."""
    while True:
        message, descriptors, _, _ = socket.recv_fds(requests, 1 << 20, 3)
        if not message:
            os._exit(0)
        if os.fork() == 0:
            requests.close()
            break
        for descriptor in descriptors:
            os.close(descriptor)
        while _reap():
            pass
    out, errors, code = descriptors
    if (program := os.fork()) != 0:
        os.close(out)
        os.close(errors)
        os.write(code, str(os.waitstatus_to_exitcode(os.waitpid(program, 0)[1])).encode())
        os._exit(0)
    os.close(code)
    request = json.loads(message)
    for target, descriptor in ((1, out), (2, errors)):
        os.dup2(descriptor, target)
        os.close(descriptor)
    os.chdir(request["folder"])
    os.environ.clear()
    os.environ.update(request["variables"])
    return request["words"]


def _reap():
    try:
        return os.waitpid(-1, os.WNOHANG)[0]
    except ChildProcessError:
        return 0


def prepare(words):
    """What Python does before it runs a program: its code and its globals."""
    script = words[0]
    variables = sys.modules["__main__"].__dict__
    kept = {name: variables[name] for name in ("__name__", "__builtins__", "__loader__", "__spec__")}
    if script == "-c":
        code = compile(words[1], "<string>", "exec")
        sys.argv, sys.path[0] = ["-c", *words[2:]], ""
    else:
        with open(script, "rb") as file:
            code = compile(file.read(), script, "exec")
        sys.argv, sys.path[0] = words, os.path.dirname(script)
        kept["__file__"] = script
    variables.clear()
    variables.update(kept)
    return code, variables


if __name__ == "__main__":
    import numpy.random  # noqa: F401

    import sumac  # noqa: F401

    exec(*prepare(serve(socket.socket(fileno=int(sys.argv[1])))))
