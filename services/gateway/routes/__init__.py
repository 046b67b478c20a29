"""All endpoints: one module for each noun."""

from services.gateway.endpoints import Endpoint
from services.gateway.routes import (
    about,
    answers,
    artifacts,
    checkpoints,
    events,
    health,
    models,
    sessions,
    sql,
    workspaces,
)

ENDPOINTS: tuple[Endpoint, ...] = (
    *workspaces.ENDPOINTS,
    *models.ENDPOINTS,
    *sessions.ENDPOINTS,
    *artifacts.ENDPOINTS,
    *events.ENDPOINTS,
    *answers.ENDPOINTS,
    *sql.ENDPOINTS,
    *checkpoints.ENDPOINTS,
    *health.ENDPOINTS,
    *about.ENDPOINTS,
)
"""The one table of routes."""
