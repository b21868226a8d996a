import { run } from './run.ts'

/** Writes a folder as a `.tar.gz`: sorted, owned by root, and all files with the same time. */
export function writeTarball(file: string, parent: string, name: string, epoch: number): void {
  const sameForAll = [`--mtime=@${epoch}`, '--sort=name', '--owner=0', '--group=0', '--numeric-owner', '--format=gnu']
  run(['tar', ...sameForAll, '--use-compress-program=gzip -n -6', '-cf', file, '-C', parent, name])
}
