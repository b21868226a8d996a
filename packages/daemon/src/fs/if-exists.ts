import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { ignoreErrors } from '../errors/error-code.ts'

/** Returns undefined when the operation fails because a file or directory does not exist (ENOENT). */
export async function ifExists<T>(operation: Promise<T>): Promise<T | undefined> {
  return await operation.catch(ignoreErrors('ENOENT'))
}

/** Returns the text of a file; undefined when it does not exist. */
export async function readTextIfExists(path: string): Promise<string | undefined> {
  return await ifExists(readFile(path, 'utf8'))
}

export function readTextIfExistsSync(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    return ignoreErrors('ENOENT')(error)
  }
}
