"""Starts LocalStack on the host in the foreground, its Lambda functions as Node processes in place of containers."""
import _thread
import functools
import os
import re
import sys
import threading


def import_with_lock_type():
    """LocalStack annotates with `Lock | None`, which needs a type; before Python 3.13 `threading.Lock` is a function."""
    if isinstance(threading.Lock, type):
        return
    factory = threading.Lock

    class Lock:
        def __new__(cls):
            return _thread.allocate_lock()

    threading.Lock = Lock
    import localstack.packages.api  # noqa: F401

    threading.Lock = factory


import_with_lock_type()
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from localstack.runtime.main import main  # noqa: E402
from localstack.services.apigateway.legacy.provider import ApigatewayProvider  # noqa: E402
from localstack.services.cloudformation.engine.v2 import change_set_model_preproc  # noqa: E402
from localstack.services.lambda_.invocation import runtime_executor  # noqa: E402
from node_executor import NodeExecutor  # noqa: E402

runtime_executor.get_runtime_executor = lambda: NodeExecutor

STREAMING = re.compile(r"/2021-11-15/functions/(.+)/response-streaming-invocations$")


def accept_streaming(put_integration):
    """Takes an integration that streams its response for one that does not, of which alone LocalStack knows; the
    runtime (node_bootstrap.mjs) collects what is streamed."""

    def put(self, context, request, **rest):
        request["uri"] = STREAMING.sub(r"/2015-03-31/functions/\1/invocations", request.get("uri") or "")
        return put_integration(self, context, request, **rest)

    return functools.wraps(put_integration)(put)


ApigatewayProvider.put_integration = accept_streaming(ApigatewayProvider.put_integration)

# What `Fn::GetAtt` gives of a resource that LocalStack does not know. Templates cut ARNs into parts, so it has the parts of one.
change_set_model_preproc.MOCKED_REFERENCE = "arn:aws:unknown:us-east-1:000000000000:unknown/unknown/unknown/unknown"

sys.exit(main())
