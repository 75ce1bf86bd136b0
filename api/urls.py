"""Routes below /api/v1/. The names are those of the Rust engine's REST interface where it has one."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, path, re_path

from api import definition_operations as definitions
from api import definition_starts as starts
from api import external_task_leases as leases
from api import external_task_operations as operations
from api import (
    external_tasks,
    incidents,
    instance_history,
    instance_proof,
    jobs,
    migrations,
    process_definitions,
    process_instances,
    replays,
    task_operations,
    tasks,
    timers,
)
from api import instance_operations as instances
from api import instance_variables as variables
from api import user_tasks as user
from api.bulk_retry import IncidentsRetry
from api.conditions import Conditions
from api.deployments import Deployments
from api.forms import StartForm, TaskForm
from api.health import Health
from api.messages import Messages
from api.modification import ProcessInstanceModify
from api.openapi import OpenApiDocument, TryPage
from api.retention_rules import RetentionRule, RetentionRules
from api.signals import Signals
from api.task_comments import TaskComments
from api.unknown import Unknown

app_name = "api"
urlpatterns: list[URLPattern | URLResolver] = [
    path("process-instances", process_instances.ProcessInstances.as_view()),
    path("process-instances/<str:instance_id>", process_instances.ProcessInstance.as_view()),
    path("process-instances/<str:instance_id>/cancel", process_instances.ProcessInstanceCancel.as_view()),
    path("process-instances/<str:instance_id>/suspend", instances.ProcessInstanceSuspend.as_view()),
    path("process-instances/<str:instance_id>/activate", instances.ProcessInstanceActivate.as_view()),
    path("process-instances/<str:instance_id>/modify", ProcessInstanceModify.as_view()),
    path("process-instances/<str:instance_id>/migrate", migrations.ProcessInstanceMigrate.as_view()),
    path("migrations/plan", migrations.MigrationPlans.as_view()),
    path("migrations/preview", migrations.MigrationPreviews.as_view()),
    path("migrations/execute", migrations.MigrationExecutions.as_view()),
    path("process-instances/<str:instance_id>/explain", instances.ProcessInstanceExplain.as_view()),
    path("process-instances/<str:instance_id>/scopes", variables.InstanceScopes.as_view()),
    path("process-instances/<str:instance_id>/variables", variables.InstanceVariables.as_view()),
    path("process-instances/<str:instance_id>/variables/<str:name>", variables.InstanceVariable.as_view()),
    path("process-instances/<str:instance_id>/history", instance_history.InstanceHistory.as_view()),
    path("process-instances/<str:instance_id>/trace", instance_history.InstanceTrace.as_view()),
    path("process-instances/<str:instance_id>/history/proof", instance_proof.InstanceHistoryProof.as_view()),
    path(
        "process-instances/<str:instance_id>/history/export", instance_proof.InstanceHistoryExport.as_view()
    ),
    path("process-instances/<str:instance_id>/verify", instance_proof.InstanceVerify.as_view()),
    path("process-instances/<str:instance_id>/erase", instance_proof.InstanceErase.as_view()),
    path("process-instances/<str:instance_id>/replay", replays.InstanceReplay.as_view()),
    path("replay/<str:session_id>", replays.ReplaySession.as_view()),
    path("replay/<str:session_id>/step", replays.ReplayStep.as_view()),
    path("replay/<str:session_id>/seek", replays.ReplaySeek.as_view()),
    path("replay/<str:session_id>/snapshot", replays.ReplaySnapshot.as_view()),
    path("process-definitions", process_definitions.ProcessDefinitions.as_view()),
    path("process-definitions/deploy", Deployments.as_view()),
    path("process-definitions/<str:definition_id>", process_definitions.ProcessDefinition.as_view()),
    path("process-definitions/<str:definition_id>/suspend", definitions.ProcessDefinitionSuspend.as_view()),
    path("process-definitions/<str:definition_id>/activate", definitions.ProcessDefinitionActivate.as_view()),
    path("process-definitions/<str:definition_id>/starts", starts.DefinitionStarts.as_view()),
    path("process-definitions/<str:definition_id>/starts/<str:start_id>", starts.DefinitionStart.as_view()),
    path(
        "process-definitions/<str:definition_id>/starts/<str:start_id>/trigger",
        starts.DefinitionStartTrigger.as_view(),
    ),
    path("deployments/<str:deployment_id>", definitions.Deployment.as_view()),
    path("process-definitions/<str:definition_id>/xml", process_definitions.ProcessDefinitionXml.as_view()),
    path("process-definitions/<str:definition_id>/start-form", StartForm.as_view()),
    path("tasks", tasks.Tasks.as_view()),
    path("tasks/<str:task_id>", tasks.Task.as_view()),
    path("tasks/<str:task_id>/complete", user.TaskComplete.as_view()),
    path("tasks/<str:task_id>/claim", user.TaskClaim.as_view()),
    path("tasks/<str:task_id>/unclaim", user.TaskUnclaim.as_view()),
    path("tasks/<str:task_id>/assign", user.TaskAssign.as_view()),
    path("tasks/<str:task_id>/bpmn-error", task_operations.TaskBpmnError.as_view()),
    path("tasks/<str:task_id>/escalation", task_operations.TaskEscalation.as_view()),
    path("tasks/<str:task_id>/delegate", task_operations.TaskDelegate.as_view()),
    path("tasks/<str:task_id>/resolve", task_operations.TaskResolve.as_view()),
    path("tasks/<str:task_id>/form", TaskForm.as_view()),
    path("tasks/<str:task_id>/comments", TaskComments.as_view()),
    path("tasks/<str:task_id>/variables", task_operations.TaskVariables.as_view()),
    path("tasks/<str:task_id>/variables/<str:name>", task_operations.TaskVariable.as_view()),
    path("external-tasks/fetch-and-lock", external_tasks.FetchAndLock.as_view()),
    path("external-tasks/complete", external_tasks.ExternalTasksComplete.as_view()),
    path("external-tasks/<str:task_id>", external_tasks.ExternalTask.as_view()),
    path("external-tasks/<str:task_id>/complete", leases.ExternalTaskComplete.as_view()),
    path("external-tasks/<str:task_id>/fail", leases.ExternalTaskFail.as_view()),
    path("external-tasks/<str:task_id>/bpmn-error", leases.ExternalTaskBpmnError.as_view()),
    path("external-tasks/<str:task_id>/extend-lock", leases.ExternalTaskExtendLock.as_view()),
    path("external-tasks/<str:task_id>/unlock", leases.ExternalTaskUnlock.as_view()),
    path("external-tasks/<str:task_id>/retries", operations.ExternalTaskRetries.as_view()),
    path("external-tasks/<str:task_id>/priority", operations.ExternalTaskPriority.as_view()),
    path("dead-letters", operations.DeadLetters.as_view()),
    path("dead-letters/<str:task_id>/retry", operations.DeadLetterRetry.as_view()),
    path("tokens/<str:token_id>/retry", incidents.TokenRetry.as_view()),
    path("tokens/<str:token_id>/variables", variables.TokenVariables.as_view()),
    path("jobs", jobs.Jobs.as_view()),
    path("jobs/<str:job_id>", jobs.Job.as_view()),
    path("jobs/<str:job_id>/retries", jobs.JobRetries.as_view()),
    path("jobs/<str:job_id>/run", jobs.JobRunNow.as_view()),
    path("timers", timers.Timers.as_view()),
    path("timers/<str:timer_id>", timers.Timer.as_view()),
    path("timers/<str:timer_id>/fire", timers.TimerFire.as_view()),
    path("incidents", incidents.Incidents.as_view()),
    path("incidents/retry", IncidentsRetry.as_view()),
    path("incidents/<str:incident_id>", incidents.Incident.as_view()),
    path("incidents/<str:incident_id>/resolve", incidents.IncidentResolve.as_view()),
    path("messages", Messages.as_view()),
    path("signals", Signals.as_view()),
    path("conditions", Conditions.as_view()),
    path("retention-rules", RetentionRules.as_view()),
    path("retention-rules/<str:process_def_id>", RetentionRule.as_view()),
    path("health", Health.as_view()),
    path("openapi.json", OpenApiDocument.as_view(), name="openapi"),
    path("docs", TryPage.as_view(), name="docs"),
    re_path(r"^(?P<rest>.*)$", Unknown.as_view()),
]
