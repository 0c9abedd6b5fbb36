"""One Lambda execution environment: a Node process that answers one invocation at a time.

Read from the environment:
  LAMBDA_NODE       the Node binary that functions run on
  LAMBDA_ENV        a JSON object of variables that every function gets on top of its own
  LAMBDA_LOG        a file to which everything that functions print is appended
  LAMBDA_PROCESSES  how many processes of one function may run at once; further invocations wait for one
"""
import json
import os
import socket
import subprocess
import threading
import time
from collections import defaultdict

from localstack import config
from localstack.services.lambda_.invocation.lambda_models import InvocationResult
from localstack.services.lambda_.invocation.runtime_executor import RuntimeExecutor

BOOTSTRAP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "node_bootstrap.mjs")
START_SECONDS = 60
MAX_RESPONSE_BYTES = 6 * 1024 * 1024
KEPT_LOG_LINES = 2000
EXTRA = json.loads(os.environ.get("LAMBDA_ENV") or "{}")
LOG = open(os.environ["LAMBDA_LOG"], "a", buffering=1) if os.environ.get("LAMBDA_LOG") else None
LIMIT = int(os.environ.get("LAMBDA_PROCESSES") or 24)


class Pool:
    """The idle processes of one function version, and a bound on all of them."""

    def __init__(self):
        self.bound = threading.BoundedSemaphore(LIMIT)
        self.idle = []
        self.closed = False


pools = defaultdict(Pool)


def _pool_key(function_version):
    """Names code and configuration, so that a deployed change never meets an old process."""
    return f"{function_version.id.qualified_arn()}/{function_version.config.revision_id}"


class NodeProcess:
    def __init__(self, code, env):
        ours, theirs = socket.socketpair()
        self.process = subprocess.Popen(
            [os.environ["LAMBDA_NODE"], "--enable-source-maps", BOOTSTRAP, str(theirs.fileno())],
            cwd=code, env={**env, "LAMBDA_TASK_ROOT": code}, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, pass_fds=[theirs.fileno()], text=True, errors="replace")
        theirs.close()
        self.socket, self.reader, self.log = ours, ours.makefile("rb"), []
        threading.Thread(target=self._collect_log, daemon=True).start()
        ours.settimeout(START_SECONDS)
        ready = json.loads(self.reader.readline() or b'{"fatal": "the process ended while it started"}')
        if "fatal" in ready:
            self.kill()
            raise RuntimeError(ready["fatal"])

    def _collect_log(self):
        for line in self.process.stdout:
            self.log.append(line)
            if LOG:
                LOG.write(line)
            if len(self.log) > 2 * KEPT_LOG_LINES:
                del self.log[:-KEPT_LOG_LINES]

    def alive(self):
        return self.process.poll() is None

    def kill(self):
        if self.alive():
            self.process.kill()
        self.process.wait(10)
        self.socket.close()

    def ask(self, message, seconds):
        """The reply, or None where the process ended. TimeoutError past `seconds`."""
        try:
            self.socket.settimeout(seconds)
            self.socket.sendall(json.dumps(message).encode() + b"\n")
            line = self.reader.readline()
            return json.loads(line) if line else None
        except TimeoutError:
            raise
        except OSError:
            return None


class NodeExecutor(RuntimeExecutor):
    def __init__(self, id, function_version):
        super().__init__(id, function_version)
        self.env = {}
        self.log = []

    @classmethod
    def prepare_version(cls, function_version):
        if function_version.config.code:
            function_version.config.code.prepare_for_execution()

    @classmethod
    def cleanup_version(cls, function_version):
        pool = pools.pop(_pool_key(function_version), None)
        if pool:
            pool.closed = True
            while pool.idle:
                pool.idle.pop().kill()

    def get_address(self):
        return "127.0.0.1"

    def get_endpoint_from_executor(self):
        return "127.0.0.1"

    def get_runtime_endpoint(self):
        return f"http://127.0.0.1:{config.GATEWAY_LISTEN[0].port}/_localstack_lambda/{self.id}"

    def get_logs(self):
        return "".join(self.log)

    def start(self, env_vars):
        """Processes are started by the invocations that need one, so that many environments share few of them."""
        self.env = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": "/tmp"}
        self.env.update({name: str(value) for name, value in env_vars.items() if value is not None})
        self.env.update({**EXTRA, "TZ": "UTC"})

    def stop(self):
        pass

    def invoke(self, payload):
        began = time.perf_counter()
        pool = pools[_pool_key(self.function_version)]
        with pool.bound:
            body, failed, log = self._run(pool, payload)
        request_id, ms = payload["invoke-id"], (time.perf_counter() - began) * 1000
        version = self.function_version.id.qualifier
        logs = (f"START RequestId: {request_id} Version: {version}\n{log}END RequestId: {request_id}\n"
                f"REPORT RequestId: {request_id}\tDuration: {ms:.2f} ms")
        self.log = [logs]
        return InvocationResult(request_id, body.encode(), is_error=failed, logs=logs)

    def _run(self, pool, payload):
        """(body, failed, log): one invocation on an idle process or a new one, which a failure of its own ends."""
        try:
            process = self._take(pool)
        except RuntimeError as error:
            return json.dumps({"errorType": "Runtime.InitError", "errorMessage": str(error)}), True, f"{error}\n"
        first, seconds = len(process.log), self.function_version.config.timeout
        deadline = int(time.time() * 1000) + seconds * 1000
        try:
            reply = process.ask({**payload, "deadline": deadline}, seconds)
        except TimeoutError:
            process.kill()
            return self._failure(payload, f"Task timed out after {seconds}.00 seconds"), True, "".join(process.log[first:])
        time.sleep(0.005)  # the last lines of the log travel by another pipe
        log = "".join(process.log[first:])
        if reply is None:
            process.kill()
            return self._failure(payload, "Error: Runtime exited with error: signal: killed", "Runtime.ExitError"), True, log
        if pool.closed or not process.alive():
            process.kill()
        else:
            pool.idle.append(process)
        if len(reply["body"]) > MAX_RESPONSE_BYTES and not reply.get("streamed"):
            return self._failure(payload, "Response payload size exceeded maximum allowed payload size (6291556 bytes).",
                                 "Function.ResponseSizeTooLarge"), True, log
        return reply["body"], reply["error"], log

    def _take(self, pool):
        while pool.idle:
            try:
                process = pool.idle.pop()
            except IndexError:
                break
            if process.alive():
                return process
            process.kill()
        return NodeProcess(str(self.function_version.config.code.get_unzipped_code_location()), self.env)

    def _failure(self, payload, message, kind=None):
        error = {"errorMessage": f"RequestId: {payload['invoke-id']} {message}"}
        return json.dumps({"errorType": kind, **error} if kind else error)
