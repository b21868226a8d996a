import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { chmod, copyFile, mkdir, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

/** Debian packages that a virtual machine needs, each with a file that proves that it is installed. */
export const virtualMachinePackages = {
  'busybox-static': '/bin/busybox',
  'qemu-system-x86': '/usr/bin/qemu-system-x86_64',
}

const virtioFileServer = '/usr/{lib/qemu,libexec}/virtiofsd'
/** The kernel for virtual machines: it has the drivers of their devices, and few others. */
const kernelPackage = 'linux-image-cloud-amd64'
/** Kernel modules, each after those that it depends on. */
const modules = ['virtio_pci', 'virtiofs', 'virtio-rng', 'xfs', 'loop', 'quota_v2', 'overlay']
const memory = '3072M'

interface Options {
  /** An empty folder for the kernel and the start script. */
  readonly folder: string
  /** What Bash runs in the machine, as root. */
  readonly script: string
  /** Whether the processor runs the machine, instead of emulation. */
  readonly useKvm: boolean
  readonly timeoutMs: number
}

/**
 * Boots a virtual machine with a kernel of Debian on the file tree of this machine, runs a script in it, and returns what it
 * prints. What the script writes stays in the memory of the virtual machine; `/tmp`, `/run` and `/dev` are its own.
 */
export async function runInVirtualMachine({ folder, script, useKvm, timeoutMs }: Options): Promise<string> {
  const kernel = unpackKernel(folder)
  const initrd = await writeInitrd(folder, script)
  const socket = join(folder, 'files.sock')
  const [fileServer = ''] = globSync(virtioFileServer)
  const files = spawn(fileServer, [`--socket-path=${socket}`, '-o', 'source=/,cache=always,sandbox=chroot', '-f'], {
    stdio: 'ignore',
  })
  const signal = AbortSignal.timeout(timeoutMs)
  try {
    while (!existsSync(socket)) await pause(50, undefined, { signal })
    const accelerator = useKvm ? ['-accel', 'kvm', '-cpu', 'host'] : ['-accel', 'tcg,thread=multi', '-cpu', 'max']
    const machine = spawn(
      'qemu-system-x86_64',
      [
        ...accelerator,
        ...['-smp', '2', '-m', memory, '-nic', 'none', '-display', 'none', '-monitor', 'none', '-no-reboot'],
        ...['-object', `memory-backend-memfd,id=memory,size=${memory},share=on`, '-numa', 'node,memdev=memory'],
        ...['-chardev', `socket,id=files,path=${socket}`, '-device', 'vhost-user-fs-pci,chardev=files,tag=host'],
        ...['-device', 'virtio-rng-pci', '-serial', 'stdio'],
        ...['-kernel', kernel, '-initrd', initrd, '-append', 'console=ttyS0 quiet panic=-1'],
      ],
      { stdio: ['ignore', 'pipe', 'inherit'], signal, killSignal: 'SIGKILL' },
    )
    let output = ''
    machine.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text
      process.stdout.write(text)
    })
    await once(machine, 'close')
    return output.replaceAll('\r', '')
  } finally {
    files.kill()
  }
}

/** Downloads the kernel with apt, without installing it, and returns its file. */
function unpackKernel(folder: string): string {
  const listed = runTool(['apt-cache', 'depends', '--important', kernelPackage], folder)
  const name = /Depends: (linux-image-\S+)/.exec(listed)?.[1]
  if (name === undefined) throw new Error(`apt knows no package ${kernelPackage}. Run apt-get update.`)
  runTool(['apt-get', 'download', '-qq', name], folder)
  const [file = ''] = globSync(join(folder, '*.deb'))
  runTool(['dpkg-deb', '-x', file, 'kernel'], folder)
  const [kernel = ''] = globSync(join(folder, 'kernel/boot/vmlinuz-*'))
  return kernel
}

/** Writes the first file system: it mounts the file tree of the host below a writable layer, and starts the script there. */
async function writeInitrd(folder: string, script: string): Promise<string> {
  const tree = join(folder, 'initrd')
  for (const path of ['bin', 'proc', 'sys', 'dev', 'host', 'layer', 'tree', 'modules'])
    await mkdir(join(tree, path), { recursive: true })
  await copyFile('/bin/busybox', join(tree, 'bin/busybox'))
  await Promise.all(
    moduleFiles(folder).map((file, at) =>
      copyFile(file, join(tree, 'modules', `${String(at).padStart(3, '0')}-${basename(file)}`)),
    ),
  )
  await writeFile(join(tree, 'init'), init)
  await chmod(join(tree, 'init'), 0o755)
  await writeFile(join(tree, 'script.sh'), script)
  runTool(['sh', '-c', 'find . | busybox cpio -o -H newc > ../initrd.cpio'], tree)
  return join(folder, 'initrd.cpio')
}

const init = `#!/bin/busybox sh
b() { /bin/busybox "$@"; }
b mount -t proc proc /proc
b mount -t sysfs sys /sys
b mount -t devtmpfs dev /dev
for module in /modules/*; do b insmod "$module"; done
b mount -t virtiofs -o ro host /host
b mount -t tmpfs layer /layer
b mkdir /layer/upper /layer/work
b mount -t overlay -o lowerdir=/host,upperdir=/layer/upper,workdir=/layer/work overlay /tree
b mount -t tmpfs -o mode=1777 tmp /tree/tmp
b mount -t tmpfs run /tree/run
b mount -t cgroup2 cgroup /sys/fs/cgroup
b ip link set lo up
b cp /script.sh /tree/run/script.sh
for path in proc sys dev; do b mount --move /$path /tree/$path; done
exec /bin/busybox switch_root /tree /bin/sh -c '/bin/bash /run/script.sh; /bin/busybox poweroff -f'
`

/** The files of the modules and of those they depend on, in the order in which they can be loaded. */
function moduleFiles(folder: string): readonly string[] {
  const [base = ''] = globSync(join(folder, 'kernel/lib/modules/*'))
  runTool(['busybox', 'depmod', '-b', join(folder, 'kernel'), basename(base)], folder)
  const lines = readFileSync(join(base, 'modules.dep'), 'utf8').trim().split('\n')
  const needed = new Map(
    lines.map((line) => {
      const [file = '', names = ''] = line.split(':')
      return [file, names.trim().split(/\s+/).filter(Boolean)] as const
    }),
  )
  const found = new Set<string>()
  const add = (file: string): void => {
    for (const other of needed.get(file) ?? []) add(other)
    found.add(file)
  }
  for (const name of modules) {
    const file = [...needed.keys()].find((path) => basename(path).split('.')[0] === name)
    if (file !== undefined) add(file)
  }
  return [...found].map((file) => join(base, file))
}

function runTool(command: readonly string[], cwd: string): string {
  const [file = '', ...args] = command
  const { status, error, stdout, stderr } = spawnSync(file, args, { cwd, encoding: 'utf8' })
  if (error || status !== 0) throw new Error(`${command.join(' ')} failed: ${stderr}`, { cause: error })
  return stdout
}
