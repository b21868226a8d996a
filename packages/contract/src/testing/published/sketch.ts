/** The shape of one published definition. `definition-like.ts` creates a definition from it. */
export interface Sketch {
  readonly name: string
  /** Its category. */
  readonly type: string
  readonly install: readonly Word[]
  readonly pre: readonly Word[]
  readonly environments: Environments
  /** The number of variables of each type: `s`tring, `i`nteger, `b`oolean, `o`ption, `u`ntyped. */
  readonly variables: ReadonlyMap<string, number>
  /** A signal, or a command. */
  readonly stop: string
  readonly requires: readonly string[]
  readonly odd: Oddities
}

/** A step, for example `steam(740)?`: its kind, argument, and whether it has a condition. */
export interface Word {
  readonly kind: string
  readonly argument: string
  readonly isConditional: boolean
}

/** The default environment and the supported ones; `undefined` if the definition does not have the field. */
export interface Environments {
  readonly defaultEnvironment: string | undefined
  readonly supported: readonly string[] | undefined
}

/**
 * Reads a list of sketches, one a line: name, category, steps of `install` and of `pre`, environments, variables, stop,
 * requirements, and peculiarities. @throws Error for an invalid line.
 */
export function sketchesIn(list: string): readonly Sketch[] {
  return list
    .trim()
    .split('\n')
    .map((line) => {
      const [name = '', type = '', install = '', pre = '', where = '', variables = '', stop = '', requires = '', odd] =
        line.split('|').map((cell) => cell.trim())
      if (odd === undefined) throw new Error(`this is no sketch of a definition: ${line}`)
      return {
        ...{ name, type, install: wordsIn(install), pre: wordsIn(pre), environments: environmentsIn(where) },
        variables: new Map(parseParts(variables).map((part) => [part.slice(-1), Number(part.slice(0, -1))])),
        ...{ stop, requires: parseParts(requires), odd: new Oddities(name, odd) },
      }
    })
}

const parseParts = (text: string): string[] => text.split(/\s+/).filter(Boolean)

function wordsIn(text: string): Word[] {
  return parseParts(text).flatMap((part) => {
    const {
      kind,
      argument = '',
      mark,
      times = '1',
    } = /^(?<kind>[a-z]+)(?:\((?<argument>\w+)\))?(?<mark>\?)?(?:\*(?<times>\d+))?$/.exec(part)?.groups ?? {}
    if (kind === undefined) throw new Error(`this is no word for a step: ${part}`)
    return Array.from({ length: Number(times) }, () => ({ kind, argument, isConditional: mark !== undefined }))
  })
}

/** Parses `[default] supported, supported`. `[] tty` has no default, `only tty` has no list of supported ones. */
function environmentsIn(text: string): Environments {
  if (text === '') return { defaultEnvironment: undefined, supported: undefined }
  if (text.startsWith('only ')) return { defaultEnvironment: text.slice('only '.length), supported: undefined }
  const { defaultEnvironment, rest } = /^\[(?<defaultEnvironment>[^\]]*)\] (?<rest>.+)$/.exec(text)?.groups ?? {}
  if (defaultEnvironment === undefined || rest === undefined) throw new Error(`invalid environments: ${text}`)
  return { defaultEnvironment: defaultEnvironment || undefined, supported: rest === 'none' ? [] : rest.split(', ') }
}

/** Peculiarities of a definition. The code that implements one takes it; one that is never taken is a mistake. */
export class Oddities {
  readonly #name: string
  readonly #left: Map<string, readonly string[]>

  constructor(name: string, text: string) {
    this.#name = name
    this.#left = new Map(
      parseParts(text).map((part) => {
        const { kind, list } = /^(?<kind>\w+)(?:\((?<list>.*)\))?$/.exec(part)?.groups ?? {}
        if (kind === undefined) throw new Error(`${name}: this is no oddity: ${part}`)
        return [kind, list?.split(',') ?? []]
      }),
    )
  }

  /** What stands behind it in brackets; `undefined` when it is not so. */
  take(kind: string): readonly string[] | undefined {
    const found = this.#left.get(kind)
    this.#left.delete(kind)
    return found
  }

  has(kind: string): boolean {
    return this.take(kind) !== undefined
  }

  end(): void {
    if (this.#left.size > 0) throw new Error(`${this.#name}: nothing was made of ${[...this.#left.keys()].join(', ')}`)
  }
}
