import { expect, test } from 'vitest'
import { isMissingRepository, isSourceDamage, resticError } from './restic-errors.ts'

const load = 'Load(<data/6a00e6094c>, 3000201, 0) returned error, retrying after 552ms: open data/6a: no such file'
const save = 'Save(<data/0a>) returned error, retrying after 12s: dial tcp: connection refused'

test.for([
  [load, true],
  [`${save}\n${load}\nsignal interrupt received, cleaning up\n`, true],
  ['unexpected EOF\nReadFull\ngithub.com/restic/restic/internal/repository.StreamPack\n\trepository.go:869', true],
  [save, false],
  [`${load}\n${save}\n`, false],
  ['Load(<index/7b80e2af06>, 0, 0) returned error, retrying after 1s: 503', false],
  ['', false],
] as const)('a copy that fails with %j failed because of the data that it reads: %s', ([stderr, isDamage]) => {
  expect(isSourceDamage({ stderr })).toBe(isDamage)
})

test.for([
  [10, 'there is no repository'],
  [11, 'another program has locked the repository. Try again when it has ended'],
  [12, 'the key in backups/key does not open the repository'],
] as const)('exit code %i of newer versions says why, whatever the text is', ([code, reason]) => {
  const error = resticError({ code, signal: null, stderr: 'Fatal: another wording\n' })

  expect(error.metadata.reason).toBe(reason)
  expect(isMissingRepository(error)).toBe(code === 10)
})
