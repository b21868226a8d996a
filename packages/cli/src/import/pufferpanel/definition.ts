import { Definition, findEnvironmentType, ServerDefinition, Template } from '@innkeeper/contract/definitions/definition'
import { warningsOfDefinition } from '@innkeeper/contract/definitions/definition-problems'
import { isTimezone } from '@innkeeper/contract/jobs/cron'
import { convertTemplate, isOldTemplate } from '@innkeeper/contract/templates/template-conversion'
import { isSafeKey } from '@innkeeper/contract/text/names'
import { z } from 'zod/mini'
import { noteText } from '../note-text.ts'
import { ImportError } from '../source-files.ts'

export interface ConvertedDefinition {
  readonly definition: Definition
  /** Folder of the files, when the environment names one. */
  readonly root: string | undefined
  readonly notes: readonly string[]
}

const RawTask = z.looseObject({ name: z.optional(z.string()), cronSchedule: z.nullish(z.string()) })
const Schedule = z.looseObject({
  timezone: z.optional(z.string()),
  concurrentLimit: z.optional(z.number()),
  limitMode: z.optional(z.string()),
  tasks: z.nullish(z.record(z.string().check(z.refine(isSafeKey)), RawTask)),
})

/** The default settings of a schedule file. */
const [usualLimit, usualMode] = [5, 'wait']

/** Parts of a 3.x definition that have no counterpart. */
const unsupportedParts = ['stats', 'query', 'icon', 'keepAlive'] as const

/**
 * Converts the definition of a server. `schedule` is the content of its `.cron` file of 3.x; 2.x has the tasks in the
 * definition, and runs them in UTC.
 * @throws ImportError, Refusal
 */
export function convertDefinition(json: unknown, schedule: unknown): ConvertedDefinition {
  const { template, notes } = convertRaw(json)
  const { name: _name, readme: _readme, ...definition } = template
  const parsed = z.omit(ServerDefinition, { id: true }).parse(definition)
  const lost = [...notes]
  const separate = Schedule.safeParse(schedule ?? {})
  if (!separate.success) lost.push('its schedule file is damaged')
  const { timezone = '', concurrentLimit = usualLimit, limitMode = usualMode } = separate.data ?? {}
  const isLocal = ['', 'Local'].includes(timezone)
  if (!isLocal && !isTimezone(timezone)) lost.push(`the time zone ${timezone} of its tasks does not exist here`)
  if (concurrentLimit !== usualLimit || limitMode !== usualMode)
    lost.push(`the limit of ${concurrentLimit} concurrent tasks (${limitMode}) is not supported`)
  const ofSchedule = isLocal || !isTimezone(timezone) ? undefined : timezone
  const tasks = { ...definition.tasks, ...separate.data?.tasks }
  const zoned = Object.fromEntries(
    Object.entries(tasks).map(([key, task]) => {
      const { success, data } = RawTask.safeParse(task)
      const isOfV2 = definition.tasks && Object.hasOwn(definition.tasks, key)
      const zone = isOfV2 ? 'UTC' : ofSchedule
      return [key, success ? { ...data, ...(zone && data.timezone === undefined ? { timezone: zone } : {}) } : task]
    }),
  )
  const { environment, root } = convertEnvironment(definition.environment, lost)
  return {
    definition: Definition.parse({
      ...parsed,
      ...(Object.keys(zoned).length > 0 ? { tasks: zoned } : {}),
      ...(environment ? { environment } : {}),
    }),
    root,
    notes: lost,
  }
}

/**
 * Converts a template of 1.x, 2.x or 3.x.
 * @throws ImportError, Refusal
 */
export function convertRaw(json: unknown): { readonly template: Template; readonly notes: readonly string[] } {
  if (isOldTemplate(json)) {
    const { template, notes } = convertTemplate(json)
    return { template, notes: notes.map(noteText) }
  }
  const { success, data: template, error } = Template.safeParse(json)
  if (!success) {
    const issue = error.issues[0]
    throw new ImportError(`it cannot be read: ${issue?.path.join('.') || 'definition'}: ${issue?.message}`)
  }
  const lost: string[] = unsupportedParts.filter((part) => template[part] !== undefined && template[part] !== null)
  const { stdin } = template.run
  if (stdin && JSON.stringify(stdin) !== '{"type":"stdin"}') lost.push('run.stdin')
  return {
    template,
    notes: [
      ...lost.map((part) => `${part} is not supported`),
      ...warningsOfDefinition(template).map(({ message }) => message),
    ],
  }
}

function convertEnvironment(environment: Template['environment'], notes: string[]) {
  if (!environment) return { environment: undefined, root: undefined }
  const { root, ...rest } = environment
  if (findEnvironmentType(rest) !== 'docker') return { environment: rest, root: textOrNone(root) }
  const { networkName, ...container } = rest
  // PufferPanel 2.x ignored the name, so activating it would change the network of a container.
  if (textOrNone(networkName)) notes.push(`the container network ${String(networkName)} is not activated`)
  if (!textOrNone(container.image)) container.image = 'pufferpanel/generic'
  return { environment: container, root: textOrNone(root) }
}

const textOrNone = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined
