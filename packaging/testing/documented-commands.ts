import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../tools/commands.ts'
import { currentRelease, debianArch } from '../build/release.ts'
import type { Machine } from './machine.ts'

interface Block {
  readonly heading: string
  readonly code: string
  isDone: boolean
}

/** Values that replace examples of the documentation. */
type Replacements = Readonly<Record<string, string>>

/** Where documented commands run. */
export interface Shell {
  /** Runs Bash code and returns its output. @throws Error when a command fails. */
  run(code: string): string
}

/** Runs the shell commands of a page of the documentation as they are printed. */
export class DocumentedCommands {
  readonly #page: string
  readonly #machine: Shell
  readonly #blocks: readonly Block[]

  /** `page` is a path in the repository, for example `docs/install.md`. */
  constructor(page: string, machine: Machine) {
    this.#page = page
    this.#machine = { run: (code) => runInMachine(machine, code) }
    this.#blocks = shellBlocks(readFileSync(join(root, page), 'utf8'))
  }

  /**
   * Runs the next block of commands below a heading, in the folder `/root` of the machine or in another shell, and returns what it
   * prints.
   * @throws Error when a command fails, or there is no further block.
   */
  run(heading: string, replacements: Replacements = {}, shell = this.#machine): string {
    return this.#execute([this.#next(heading)], replacements, shell)
  }

  /** Runs all further blocks below these headings in one shell, so that later ones can use variables of earlier ones. */
  runAll(headings: readonly string[], replacements: Replacements = {}): string {
    const blocks = this.#blocks.filter(({ heading, isDone }) => headings.includes(heading) && !isDone)
    for (const block of blocks) block.isDone = true
    return this.#execute(blocks, replacements, this.#machine)
  }

  /** Leaves out the next block of commands below a heading, for a reason. */
  skip(heading: string, _reason: string): void {
    this.#next(heading)
  }

  /** @throws Error when the page has blocks of commands that were neither run nor skipped. */
  finish(): void {
    const left = this.#blocks.filter(({ isDone }) => !isDone)
    if (left.length === 0) return
    throw new Error(`Run these commands of ${this.#page}:\n${left.map(({ code }) => code).join('\n')}`)
  }

  #next(heading: string): Block {
    const block = this.#blocks.find((one) => one.heading === heading && !one.isDone)
    if (!block) throw new Error(`${this.#page} has no further commands below '${heading}'`)
    block.isDone = true
    return block
  }

  #execute(blocks: readonly Block[], replacements: Replacements, shell: Shell): string {
    const commands = blocks.map(({ code }) => code).join('\n')
    const code = Object.entries({ ...releaseReplacements(), ...replacements }).reduce(
      (text, [example, value]) => text.replaceAll(example, value),
      commands,
    )
    return shell.run(code)
  }
}

function runInMachine(machine: Machine, code: string): string {
  return machine.run(['bash', '--norc', '-euo', 'pipefail', '-c', `cd /root\n${code}`], {
    HOME: '/root',
    DEBIAN_FRONTEND: 'noninteractive',
  })
}

/** The documentation names the packages of version 0.1.0 for x64. */
function releaseReplacements(): Replacements {
  const { version, arch } = currentRelease()
  return { '0.1.0': version, amd64: debianArch[arch], 'linux-x64': `linux-${arch}` }
}

/** The `sh` blocks of a page, each with the heading above it. */
function shellBlocks(text: string): Block[] {
  const blocks: Block[] = []
  let heading = ''
  for (const [, title, indent = '', code = ''] of text.matchAll(/^#+ ([^\n]+)$|^( *)```sh\n(.*?)^ *```$/gms)) {
    if (title === undefined)
      blocks.push({ heading, code: code.replaceAll(new RegExp(`^${indent}`, 'gm'), ''), isDone: false })
    else heading = title
  }
  return blocks
}
