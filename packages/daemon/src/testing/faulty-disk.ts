import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, vi } from 'vitest'

const program = fileURLToPath(new URL('./programs/faulty-disk.py', import.meta.url))

/** A file system of its own whose operations fail on request. */
export class FaultyDisk implements AsyncDisposable {
  readonly #around = mkdtempSync(join(tmpdir(), 'innkeeper-disk-'))
  readonly content = join(this.#around, 'content')
  readonly #place: string
  readonly #child: ChildProcess

  private constructor(place: string) {
    this.#place = place
    mkdirSync(this.content)
    this.#child = spawn('/usr/bin/python3', [program, this.content, place], { stdio: ['ignore', 'ignore', 'inherit'] })
  }

  static async at(place: string): Promise<FaultyDisk> {
    const disk = new FaultyDisk(place)
    await vi.waitFor(() => expect(readFileSync('/proc/self/mounts', 'utf8')).toContain(` ${place} fuse`), {
      timeout: 10_000,
    })
    return disk
  }

  /** These system calls fail from now on. */
  fail(told: string): void {
    if (told === '') rmSync(`${this.content}.fault`, { force: true })
    else writeFileSync(`${this.content}.fault`, told)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = once(this.#child, 'exit')
    spawnSync('fusermount3', ['-u', '-z', this.#place])
    await ended
    rmSync(this.#around, { recursive: true, force: true })
  }
}
