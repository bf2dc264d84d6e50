"""Keeps the state of the operator in the status of its objects.

The CRD must keep `status.kopf`: `cargo kopf-crd check` tells whether it does.
"""

import kopf


@kopf.on.startup()
def configure(settings: kopf.OperatorSettings, **_):
    settings.persistence.progress_storage = kopf.StatusProgressStorage()
    settings.persistence.diffbase_storage = kopf.StatusDiffBaseStorage()
