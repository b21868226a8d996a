import { globSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../tools/commands.ts'
import { currentRelease } from './build/release.ts'
import { run } from './build/run.ts'

/**
 * `node packaging/keep-release.ts`, after `npm run build`: replaces the archive of the last release, with which
 * `releases.slow.test.ts` checks that releases work together. It has what a node and a panel need at run time, without the web
 * app, templates and libraries.
 */
const folder = 'packages/cli/src/testing/releases'
const contents = [
  'LICENSE',
  'packages/cli/package.json',
  'packages/cli/dist',
  'packages/contract/package.json',
  'packages/daemon/package.json',
  // The keeper runs from its sources.
  'packages/daemon/src/keeper',
  'packages/daemon/src/proc',
  'packages/contract/src/jobs/mutex.ts',
  'packages/daemon/src/errors/error-code.ts',
  'packages/daemon/src/fs/atomic-write.ts',
  'packages/daemon/src/memory/buffer-pool.ts',
  'packages/panel/package.json',
  'packages/panel/src/mail/texts/en_US.json',
]

const { version, epoch } = currentRelease()
for (const previous of globSync(join(root, folder, '*.tar.xz'))) rmSync(previous)
const archive = `${folder}/${version}.tar.xz`
const tests = ['--exclude=*.test.ts', '--exclude=testing', '--exclude=.innkeeper-*']
const sameForAll = [`--mtime=@${epoch}`, '--sort=name', '--owner=0', '--group=0', '--numeric-owner', '--format=gnu']
run(['tar', ...tests, ...sameForAll, '--use-compress-program=xz -9e', '-cf', archive, ...contents])
console.log(`The release is kept in ${archive}.`)
