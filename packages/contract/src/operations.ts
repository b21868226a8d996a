import { z } from 'zod'

/** One step of an install, pre, post or task list: `type` chooses what runs, its fields stand beside it. */
export const Step = z.looseObject({ type: z.string().min(1) })
export type Step = z.infer<typeof Step>

/** A list; a single text stands for a list of one, nothing for none. */
const Lines = z.preprocess((given) => (typeof given === 'string' ? [given] : (given ?? [])), z.array(z.string()))

/** Blanks separate the addresses of a `files` text; an address has none of its own. */
const Addresses = z.preprocess(
  (given) => (typeof given === 'string' ? given.split(/\s+/).filter(Boolean) : (given ?? [])),
  z.array(z.string().min(1)),
)

const Flag = z.union([z.boolean(), z.enum(['true', 'false']).transform((text) => text === 'true')])

/** The fields of the steps that a node knows, by type, as they stand after variables were filled in. */
export const stepFields = {
  download: z.looseObject({ files: Addresses }),
  /** `stopOnError` makes a non-zero exit code end the list; without it the code is shown and the list goes on. */
  command: z.looseObject({ commands: Lines, stopOnError: Flag.default(false) }),
  writefile: z.looseObject({ target: z.string().min(1), text: z.string().default('') }),
  alterfile: z.looseObject({
    file: z.string().min(1),
    search: z.string().min(1),
    replace: z.string().default(''),
    regex: Flag.default(true),
  }),
  /** `source` may hold `*` and `?`. */
  move: z.looseObject({ source: z.string().min(1), target: z.string().min(1) }),
  mkdir: z.looseObject({ target: z.string().min(1) }),
  /** The kind of archive follows from the name of `destination`. */
  archive: z.looseObject({ source: Lines.pipe(z.array(z.string().min(1)).min(1)), destination: z.string().min(1) }),
  /** `destination` is a folder that is there; without it the server's folder. */
  extract: z.looseObject({ source: z.string().min(1), destination: z.string().default('') }),
} as const
export type StepType = keyof typeof stepFields
export type StepFields<T extends StepType> = z.output<(typeof stepFields)[T]>

export function isStepType(type: string): type is StepType {
  return Object.hasOwn(stepFields, type)
}

/** Steps as lists hold them: a missing list is empty. */
export const Steps = z.preprocess((given) => given ?? [], z.array(Step))
