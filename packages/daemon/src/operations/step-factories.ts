import type { StepFields, StepType } from '@innkeeper/contract/definitions/operations'
import { backUpServer } from './actions/backup.ts'
import { runCommands } from './actions/command.ts'
import { sayMessage } from './actions/console.ts'
import { pullImage } from './actions/dockerpull.ts'
import { runContainerScript } from './actions/dockerrun.ts'
import { powerServer } from './actions/power.ts'
import { wait } from './actions/sleep.ts'
import { sendLine } from './actions/stdin.ts'
import type { PreparedStep } from './context/step-context.ts'
import { installModPack } from './downloads/curseforge.ts'
import { downloadFiles } from './downloads/download.ts'
import { fetchFabric } from './downloads/fabricdl.ts'
import { fetchForge, fetchNeoForge } from './downloads/forgedl.ts'
import { fetchJava } from './downloads/javadl.ts'
import { fetchMinecraft } from './downloads/mojangdl.ts'
import { fetchNode } from './downloads/nodejsdl.ts'
import { fetchPaper } from './downloads/paperdl.ts'
import { resolveForge, resolveNeoForge } from './downloads/resolve-forge.ts'
import { fetchSponge } from './downloads/spongedl.ts'
import { fetchSpongeForge } from './downloads/spongeforgedl.ts'
import { fetchSteamGame } from './downloads/steamgamedl.ts'
import { alterFile } from './files/alterfile.ts'
import { makeArchive } from './files/archive.ts'
import { editConfigFile } from './files/editconfig.ts'
import { extractFiles } from './files/extract.ts'
import { makeFolder } from './files/mkdir.ts'
import { moveFiles } from './files/move.ts'
import { writeFile } from './files/writefile.ts'

/** Creates a step from its fields, after variable substitution. Throws on invalid fields. */
export type StepFactory<T extends StepType> = (
  fields: StepFields<T>,
  values: ReadonlyMap<string, string>,
) => PreparedStep

/** By step type. */
export const stepFactories: { readonly [T in StepType]: StepFactory<T> } = {
  download: downloadFiles,
  command: runCommands,
  writefile: writeFile,
  alterfile: alterFile,
  editconfig: editConfigFile,
  move: moveFiles,
  mkdir: makeFolder,
  archive: makeArchive,
  extract: extractFiles,
  sleep: wait,
  console: sayMessage,
  stdin: sendLine,
  power: powerServer,
  backup: backUpServer,
  mojangdl: fetchMinecraft,
  forgedl: fetchForge,
  neoforgedl: fetchNeoForge,
  resolveforgeversion: resolveForge,
  resolveneoforgeversion: resolveNeoForge,
  spongeforgedl: fetchSpongeForge,
  spongedl: fetchSponge,
  fabricdl: fetchFabric,
  paperdl: fetchPaper,
  curseforge: installModPack,
  javadl: fetchJava,
  nodejsdl: fetchNode,
  steamgamedl: fetchSteamGame,
  dockerpull: pullImage,
  dockerrun: runContainerScript,
}
