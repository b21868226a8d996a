import { z } from 'zod/mini'
import { parseJsonOrUndefined } from '../text/parse-json.ts'

const Text = z.pipe(
  z.nullish(z.union([z.string(), z.number(), z.boolean()])),
  z.transform((input) => (input === null || input === undefined ? '' : String(input))),
)

/** JSON, or text with JSON in it. */
const Nested = z.pipe(
  z.optional(z.unknown()),
  z.transform((input) => (typeof input === 'string' ? parseJsonOrUndefined(input) : input)),
)

/** A list; in YAML an empty one is written as an empty map. */
const list = <T>(item: z.ZodMiniType<T>, max: number) =>
  z.pipe(
    z.transform((input) => (isEmptyMap(input) ? [] : input)),
    z.array(item).check(z.maxLength(max)),
  )

const Flag = z.pipe(
  z.optional(z.unknown()),
  z.transform((input) => Boolean(input) && input !== '0' && input !== 'false'),
)

const EggVariable = z.looseObject({
  name: Text,
  description: Text,
  env_variable: z.string().check(z.regex(/^\w{1,191}$/)),
  default_value: Text,
  user_viewable: Flag,
  user_editable: Flag,
  /** Validation rules of Laravel, as text or as a list. */
  rules: z.nullish(
    z.union([
      z.pipe(
        z.string(),
        z.transform((text) => text.split('|')),
      ),
      list(z.string(), 100),
    ]),
  ),
})
export type EggVariable = z.output<typeof EggVariable>

/** An egg of Pterodactyl (PTDL_v1, PTDL_v2) or Pelican (PLCN_v1 to PLCN_v3). */
export const Egg = z.looseObject({
  name: z.string().check(z.minLength(1), z.maxLength(191)),
  author: Text,
  description: Text,
  image: Text,
  images: z.nullish(z.array(z.string()).check(z.maxLength(100))),
  docker_images: z.nullish(z.union([z.record(z.string(), z.string()), z.array(z.string()).check(z.maxLength(100))])),
  startup: Text,
  startup_commands: z.nullish(z.record(z.string(), z.string())),
  features: z.optional(z.unknown()),
  file_denylist: z.optional(z.unknown()),
  config: z.nullish(z.looseObject({ files: Nested, startup: Nested, stop: Text })),
  scripts: z.nullish(
    z.looseObject({
      installation: z.nullish(z.looseObject({ script: Text, container: Text, entrypoint: Text })),
    }),
  ),
  variables: z.nullish(list(EggVariable, 1_000)),
})
export type Egg = z.output<typeof Egg>

/** Whether the JSON is an egg. */
export function isEgg(json: unknown): boolean {
  if (typeof json !== 'object' || json === null) return false
  const { meta } = json as { meta?: unknown }
  const version = typeof meta === 'object' && meta !== null ? (meta as { version?: unknown }).version : undefined
  return typeof version === 'string' && /^(PTDL|PLCN)_v\d$/.test(version)
}

const isEmptyMap = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length === 0
