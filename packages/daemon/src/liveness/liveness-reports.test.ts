import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { LivenessReport } from '@innkeeper/contract/servers/liveness-reports'
import { expect } from 'vitest'
import { test } from '../testing/test-directory.ts'
import { LivenessReports } from './liveness-reports.ts'

const getReport = (id: string): LivenessReport => ({
  id,
  at: '2026-01-01T00:00:01Z',
  since: '2026-01-01T00:00:00Z',
  reason: 'query',
  action: 'none',
  checks: [],
  usage: { cpu: 0, memory: 0, memoryMax: 1 },
  processes: [],
  lines: 'ready',
})

test('the last five reports are kept, newest first, until they are removed', async ({ fixture: { outside } }) => {
  const reports = new LivenessReports(join(outside, 'a'))
  const before = await reports.list()

  for (const id of ['8', '9', '10', '11', '12', '13']) await reports.add(getReport(id))
  writeFileSync(join(outside, 'a', '12.json'), '{')
  const listed = await reports.list()

  expect(before).toEqual([])
  expect(listed.map(({ id }) => id)).toEqual(['13', '11', '10', '9'])
  expect(await reports.get('13')).toEqual(getReport('13'))
  await expect(reports.get('8')).rejects.toMatchObject({ code: 'ErrNotFound' })
  await reports.remove()
  expect(await reports.list()).toEqual([])
})
