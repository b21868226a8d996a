import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { installMissingPackages } from '../tools/debian-packages.ts'
import { testContainer } from './testing/container.ts'
import { testDebianPackage } from './testing/debian-package.ts'
import { documentationFor } from './testing/documentation.ts'
import { Machine } from './testing/machine.ts'
import { buildPackages, built } from './testing/packages.ts'
import { Steps } from './testing/steps.ts'
import { testTarball } from './testing/tarball.ts'

/**
 * Builds the packages, and installs, uses, upgrades and removes each of them in a clean Debian. Runs the shell commands of the
 * documentation there. Builds and runs the container image. Ends with `N passed, N failed`.
 *
 * The machines run in their own network, process and mount namespaces, which end with this program.
 */
const insideOption = '--inside'
const requiredPackages = {
  'docker-compose': '/usr/bin/docker-compose',
  'docker.io': '/usr/sbin/dockerd',
  iproute2: '/usr/sbin/ip',
  mmdebstrap: '/usr/bin/mmdebstrap',
  postgresql: '/usr/lib/postgresql/*/bin/postgres',
  'p7zip-full': '/usr/bin/7z',
  'systemd-container': '/usr/bin/systemd-nspawn',
  zstd: '/usr/bin/zstd',
}

const [mode, buildFolder] = process.argv.slice(2)
if (process.getuid?.() !== 0) {
  console.error('The test boots systems in containers. Run it as root.')
  process.exitCode = 2
} else if (mode === insideOption && buildFolder !== undefined) {
  const steps = new Steps()
  try {
    const boot = () => Machine.boot(built.rootFileSystem(buildFolder), join(buildFolder, 'machine'))
    const machine = await steps.step('a clean system boots', boot)
    const docs = documentationFor(machine)
    for (const test of [testTarball, testDebianPackage]) await test(steps, buildFolder, machine, docs)
    await testContainer(steps, buildFolder, docs)
    await steps.step('all commands of the documentation were run', () => docs.finish())
  } catch {
    // The failed step has printed the error. Later steps depend on it.
  }
  console.log(`${steps.passed} passed, ${steps.failed} failed`)
  process.exit(steps.failed > 0 ? 1 : 0)
} else {
  await installMissingPackages(requiredPackages)
  const folder = await mkdtemp(join(tmpdir(), 'innkeeper-packages-'))
  await chmod(folder, 0o711)
  try {
    await buildPackages(folder)
    process.exitCode = await runInNamespaces(folder)
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
  }
}

/** Runs this program again in new namespaces. The kernel kills all processes in them when it exits. */
async function runInNamespaces(folder: string): Promise<number> {
  const namespaces = ['--net', '--mount', '--pid', '--mount-proc', '--fork', '--kill-child']
  const shell = ['sh', '-c', 'ip link set lo up && "$@"; exit $?', 'test']
  const command = [process.execPath, fileURLToPath(import.meta.url), insideOption, folder]
  const child = spawn('unshare', [...namespaces, '--', ...shell, ...command], { stdio: 'inherit' })
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill('SIGKILL'))
  const [code] = (await once(child, 'exit')) as [number | null]
  return code ?? 130
}
