"""Reading what a page posts, and answering it: JSON both ways, errors in words."""

from __future__ import annotations

from functools import wraps
from typing import TypeVar

from pydantic import BaseModel, ValidationError
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from trainee_bench.harness.records.plan import PlanError
from trainee_bench.harness.studio.endpoints import Endpoint, answering
from trainee_bench.harness.studio.guidance import NotNow
from trainee_bench.harness.studio.jobs import NoSuchJob
from trainee_bench.harness.studio.played_colleagues import NotUsable

Body = TypeVar("Body", bound=BaseModel)


class BadBody(ValueError):
    """What was posted is not what this address takes."""


async def read_body(request: Request, model: type[Body]) -> Body:
    """What was posted. Raises BadBody, which names the first flaw."""
    try:
        return model.model_validate_json(await request.body())
    except ValidationError as error:
        flaw = error.errors(include_url=False, include_input=False, include_context=False)[0]
        place = ".".join(map(str, flaw["loc"]))
        raise BadBody(f"{place}: {flaw['msg']}".removeprefix(": ")) from None


def acting(endpoint: Endpoint) -> Endpoint:
    """*endpoint*, with the errors of acting and of reading as JSON."""
    inner = answering(endpoint)

    @wraps(endpoint)
    async def answer(request: Request) -> Response:
        try:
            return await inner(request)
        except NoSuchJob as error:
            return JSONResponse({"error": str(error)}, 404)
        except (BadBody, PlanError) as error:
            return JSONResponse({"error": str(error)}, 400)
        except NotUsable as error:
            return JSONResponse({"error": str(error)}, 422)
        except NotNow as error:
            return JSONResponse({"error": str(error)}, 409)

    return answer


def json_answer(model: BaseModel) -> Response:
    """*model* as the answer."""
    return Response(model.model_dump_json(), media_type="application/json")
