import { expect, test } from 'vitest'
import { parseProjectUsage } from './project-quotas.ts'

const head =
  'Project,BlockStatus,FileStatus,BlockUsed,BlockSoftLimit,BlockHardLimit,BlockGrace,FileUsed,FileSoftLimit,FileHardLimit,FileGrace'

test('the used space of projects is read in bytes', () => {
  const csv = `${head}\n#0,ok,ok,20,0,0,,2,0,0,\n#1900000001,ok,ok,1024,0,4096,,3,0,0,\n`

  expect(parseProjectUsage(csv)).toEqual(
    new Map([
      [0, 20 * 1024],
      [1_900_000_001, 1024 ** 2],
    ]),
  )
})

test('lines that are not about a project are left out, and another format is an error', () => {
  expect(parseProjectUsage(`${head}\n\nname,ok,ok,1,0,0,,1,0,0,\n`)).toEqual(new Map())
  expect(() => parseProjectUsage('*** Report for project quotas on device /dev/loop0')).toThrow('no column BlockUsed')
})
