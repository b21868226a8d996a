import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { root } from './commands.ts'
import { installMissingPackages } from './debian-packages.ts'
import { runInVirtualMachine, virtualMachinePackages } from './virtual-machine.ts'

/**
 * `npm run test:quotas [-- --kvm]`: tests of disk limits on ext4 and XFS with project quotas, for machines whose kernel has none.
 * They run in a virtual machine with the kernel of Debian; `--kvm` uses the processor instead of emulating one. Ends with
 * `N passed, N failed`.
 */
const testFile = 'packages/daemon/src/disk-limits/project-quotas.slow.test.ts'
const report = '/tmp/report.json'
const timeoutMs = 45 * 60_000

/** An emulated processor is more than ten times slower. */
const script = `
cd '${root}'
export HOME=/root PATH='${join(process.execPath, '..')}':/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin NO_COLOR=1
node node_modules/vitest/vitest.mjs run --project slow --test-timeout=600000 --hook-timeout=600000 \\
  --reporter=verbose --reporter=json --outputFile.json=${report} ${testFile} 2>&1 | cat
grep -oE '"num(Passed|Failed|Pending)Tests":[0-9]+' ${report}
`

const { values } = parseArgs({ options: { kvm: { type: 'boolean', default: false } } })
if (process.getuid?.() !== 0 || process.arch !== 'x64') {
  console.error('The test shares the files of this machine with a virtual one. Run it as root, on x64.')
  process.exitCode = 2
} else {
  await installMissingPackages({
    ...virtualMachinePackages,
    quota: '/usr/sbin/setquota',
    xfsprogs: '/usr/sbin/mkfs.xfs',
  })
  const folder = await mkdtemp(join(tmpdir(), 'innkeeper-machine-'))
  try {
    const output = await runInVirtualMachine({ folder, script, useKvm: values.kvm, timeoutMs })
    const count = (name: string) => Number(RegExp(`^"num${name}Tests":(\\d+)`, 'm').exec(output)?.[1] ?? 0)
    const [passed, failed, skipped] = [count('Passed'), count('Failed'), count('Pending')]
    // Each of them must run here: a skipped test is a failed one.
    const failures = passed === 0 ? Math.max(1, failed + skipped) : failed + skipped
    console.log(`${passed} passed, ${failures} failed`)
    process.exitCode = failures > 0 ? 1 : 0
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
