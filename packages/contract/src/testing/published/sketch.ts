/** What one published definition is like, in words that `definition-like.ts` makes a definition of. */
export interface Sketch {
  readonly name: string
  /** Its category. */
  readonly type: string
  readonly install: readonly Word[]
  readonly pre: readonly Word[]
  readonly environments: Environments
  /** How many variables it has of each type: `s`tring, `i`nteger, `b`oolean, `o`ption, `u`nsaid. */
  readonly variables: ReadonlyMap<string, number>
  /** A signal, or what is typed. */
  readonly stop: string
  readonly requires: readonly string[]
  readonly odd: Oddities
}

/** `steam(740)?`: a step of that kind, with an argument and under a condition. */
export interface Word {
  readonly kind: string
  readonly argument: string
  readonly isConditional: boolean
}

/** Its own one and those that it supports; `undefined` where it says nothing of them. */
export interface Environments {
  readonly own: string | undefined
  readonly supported: readonly string[] | undefined
}

/**
 * Reads a list of sketches, one a line: name, category, steps of `install` and of `pre`, environments, variables, stop,
 * requirements, and what is odd about it. Throws at what is no sketch.
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
        variables: new Map(partsOf(variables).map((part) => [part.slice(-1), Number(part.slice(0, -1))])),
        ...{ stop, requires: partsOf(requires), odd: new Oddities(name, odd) },
      }
    })
}

const partsOf = (text: string): string[] => text.split(/\s+/).filter(Boolean)

function wordsIn(text: string): Word[] {
  return partsOf(text).flatMap((part) => {
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

/** `[tty] tty, docker:image`; `[] tty` has none of its own, `only tty` supports none. */
function environmentsIn(text: string): Environments {
  if (text === '') return { own: undefined, supported: undefined }
  if (text.startsWith('only ')) return { own: text.slice('only '.length), supported: undefined }
  const { own, rest } = /^\[(?<own>[^\]]*)\] (?<rest>.+)$/.exec(text)?.groups ?? {}
  if (own === undefined || rest === undefined) throw new Error(`these are no environments: ${text}`)
  return { own: own || undefined, supported: rest === 'none' ? [] : rest.split(', ') }
}

/** What is odd about a definition. Each oddity is taken by whoever makes it so; what nobody takes is a mistake. */
export class Oddities {
  readonly #name: string
  readonly #left: Map<string, readonly string[]>

  constructor(name: string, text: string) {
    this.#name = name
    this.#left = new Map(
      partsOf(text).map((part) => {
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
