import type { Environment, ServerDefinition } from '@innkeeper/contract/definition'
import { ServerDefinition as Definition, environmentTypeOf } from '@innkeeper/contract/definition'
import { isOrdinaryKey } from '@innkeeper/contract/names'
import type { z } from 'zod'
import { type DockerForm, dockerFormOf, withDockerForm } from '../../ui/docker-form.ts'

/** A definition as a JSON object: what the form does not know stays in it. */
export type Raw = z.infer<typeof ServerDefinition>

/** One row of the environment variables. The key keeps rows apart while names are typed. */
export interface EnvironmentRow {
  readonly key: number
  readonly name: string
  readonly value: string
}

/** What the form shows of a definition. */
export interface DefinitionForm {
  /** `undefined` when the definition has several commands with conditions: those are edited as JSON. */
  readonly command: string | undefined
  readonly workingDirectory: string
  readonly stopBy: 'command' | 'signal'
  readonly stop: string
  readonly signal: string
  readonly variables: readonly EnvironmentRow[]
  readonly environment: string
  /** Where it runs in a container. */
  readonly docker: DockerForm | undefined
}

export function formOf(definition: Raw): DefinitionForm {
  const { run } = definition
  const code = run.stopCode ?? 0
  return {
    command: commandIn(run),
    workingDirectory: run.workingDirectory ?? '',
    stopBy: code === 0 ? 'command' : 'signal',
    stop: run.stop ?? '',
    signal: code === 0 ? '' : String(code),
    variables: Object.entries(run.environmentVars ?? {}).map(([name, value], key) => ({
      key,
      name,
      value: value ?? '',
    })),
    environment: definition.environment?.type ?? 'standard',
    docker: dockerIn(definition.environment ?? { type: 'standard' }),
  }
}

/** What of a form another environment changes. */
export function withEnvironment(definition: Raw, type: string): Pick<DefinitionForm, 'environment' | 'docker'> {
  return { environment: type, docker: dockerIn(environmentOf(definition, type)) }
}

function dockerIn(environment: Environment): DockerForm | undefined {
  return environmentTypeOf(environment) === 'docker' ? dockerFormOf(environment) : undefined
}

function commandIn(run: Raw['run']): string | undefined {
  if (Array.isArray(run.command)) return undefined
  return run.command || [run.program ?? '', ...(run.arguments ?? [])].join(' ').trim()
}

/** The definition with what the form says. Blank rows are left out; only what differs is touched. */
export function withForm(definition: Raw, form: DefinitionForm): Raw {
  const before = formOf(definition)
  const run = { ...definition.run }
  if (form.command !== undefined && form.command !== before.command) {
    run.command = form.command
    delete run.program
    delete run.arguments
  }
  if (form.workingDirectory !== before.workingDirectory) run.workingDirectory = form.workingDirectory
  if (form.stop !== before.stop) run.stop = form.stop
  const signal = form.stopBy === 'signal' ? Number(form.signal) || 0 : 0
  if (signal !== (definition.run.stopCode ?? 0)) run.stopCode = signal
  const rows = form.variables.filter(({ name }) => name.trim() !== '' && isOrdinaryKey(name.trim()))
  const variables = Object.fromEntries(rows.map(({ name, value }) => [name.trim(), value]))
  if (JSON.stringify(variables) !== JSON.stringify(definition.run.environmentVars ?? {}))
    run.environmentVars = variables
  const changed = { ...definition, run }
  if (form.environment === before.environment && form.docker === before.docker) return changed
  const environment = environmentOf(definition, form.environment)
  return { ...changed, environment: form.docker ? withDockerForm(environment, form.docker) : environment }
}

/** An environment of another type, as the definition offers it if it does. */
function environmentOf(definition: Raw, type: string): Environment {
  if (definition.environment?.type === type) return definition.environment
  const limits = definition.environment?.limits
  const offered = definition.supportedEnvironments?.find((environment) => environment.type === type) ?? { type }
  // What it may use does not depend on where it runs.
  return limits && !offered.limits ? { ...offered, limits } : offered
}

/** Reads JSON that a person wrote; `undefined` when it is no definition. */
export function parseDefinition(text: string): Raw | undefined {
  try {
    const read = Definition.safeParse(JSON.parse(text))
    return read.success ? read.data : undefined
  } catch {
    // No JSON at all is no definition either; the editor shows where.
    return undefined
  }
}

export function formatDefinition(definition: Raw): string {
  return JSON.stringify(definition, null, 2)
}
