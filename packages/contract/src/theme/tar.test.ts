import { describe, expect, test } from 'vitest'
import { readTar, tarLimits, writeTar } from './tar.ts'
import { ThemeError, type ThemeProblem } from './theme-error.ts'

const text = (content: string) => new TextEncoder().encode(content)
const archive = () => writeTar([{ name: 'theme.json', bytes: text('{}') }])

/** Sets a field of the first header and its checksum. */
function withField(bytes: Uint8Array, offset: number, value: string): Uint8Array {
  bytes.set(text(value), offset)
  const sum = bytes
    .subarray(0, 512)
    .reduce((total, byte, index) => total + (index >= 148 && index < 156 ? 32 : byte), 0)
  bytes.set(text(`${sum.toString(8).padStart(6, '0')}\0 `), 148)
  return bytes
}

function findProblem(bytes: Uint8Array): ThemeProblem | undefined {
  try {
    readTar(bytes)
    return undefined
  } catch (error) {
    if (error instanceof ThemeError) return error.problem
    throw error
  }
}

test('files are unpacked unchanged', () => {
  const files = [
    { name: 'theme.json', bytes: text('{"a":1}') },
    { name: 'images/logo.svg', bytes: new Uint8Array(1_500).fill(7) },
    { name: 'empty.png', bytes: new Uint8Array() },
  ]

  expect(readTar(writeTar(files))).toEqual(files)
})

test('a leading ./ and folders are ignored', () => {
  const folder = withField(writeTar([{ name: 'images', bytes: new Uint8Array() }]), 156, '5').subarray(0, 512)
  const file = withField(archive(), 0, './theme.json\0')

  const files = readTar(new Uint8Array([...folder, ...file]))

  expect(files.map(({ name }) => name)).toEqual(['theme.json'])
})

describe('an archive is rejected', () => {
  test.each<[string, () => Uint8Array, ThemeProblem]>([
    ['that is empty', () => new Uint8Array(), 'notTar'],
    ['whose length is no number of blocks', () => archive().subarray(0, 700), 'notTar'],
    ['that is too large', () => new Uint8Array(tarLimits.archiveBytes + 512), 'archiveTooLarge'],
    ['that ends within a file', () => archive().subarray(0, 512), 'truncated'],
    ['whose size is no octal number', () => withField(archive(), 124, '9z9'), 'notTar'],
    ['whose size is larger than the archive', () => withField(archive(), 124, '77777777777'), 'truncated'],
    ['whose checksum is wrong', () => archive().with(3, 0x41), 'checksum'],
    ['with a symbolic link', () => withField(archive(), 156, '2'), 'entryType'],
    ['with a hard link', () => withField(archive(), 156, '1'), 'entryType'],
    ['with a device', () => withField(archive(), 156, '3'), 'entryType'],
    ['with an extended header', () => withField(archive(), 156, 'x'), 'entryType'],
    ['with a path that leads out', () => withField(archive(), 0, '../a.png\0'), 'fileName'],
    ['with a path that leads out in its middle', () => withField(archive(), 0, 'a/../../b.png\0'), 'fileName'],
    ['with an absolute path', () => withField(archive(), 0, '/etc/a.png\0'), 'fileName'],
    ['with a backslash in a name', () => withField(archive(), 0, 'a\\b.png\0'), 'fileName'],
    ['with a file without a name', () => withField(archive(), 0, '\0'.repeat(10)), 'fileName'],
    ['with a name twice', () => writeTar([...readTar(archive()), ...readTar(archive())]), 'duplicate'],
    [
      'with too many files',
      () => writeTar(Array.from({ length: 65 }, (_, index) => ({ name: `${index}.png`, bytes: new Uint8Array() }))),
      'tooManyFiles',
    ],
  ])('%s', (_what, bytes, problem) => {
    expect(findProblem(bytes())).toBe(problem)
  })
})
