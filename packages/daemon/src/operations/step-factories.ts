import type { StepFields, StepType } from '@innkeeper/contract/operations'
import { alterFile } from './alterfile.ts'
import { makeArchive } from './archive.ts'
import { backUpServer } from './backup.ts'
import { runCommands } from './command.ts'
import { sayMessage } from './console.ts'
import { installModPack } from './curseforge.ts'
import { pullImage } from './dockerpull.ts'
import { runContainerScript } from './dockerrun.ts'
import { downloadFiles } from './download.ts'
import { editConfigFile } from './editconfig.ts'
import { extractFiles } from './extract.ts'
import { fetchFabric } from './fabricdl.ts'
import { fetchForge, fetchNeoForge } from './forgedl.ts'
import { fetchJava } from './javadl.ts'
import { makeFolder } from './mkdir.ts'
import { fetchMinecraft } from './mojangdl.ts'
import { moveFiles } from './move.ts'
import { fetchNode } from './nodejsdl.ts'
import { fetchPaper } from './paperdl.ts'
import { powerServer } from './power.ts'
import { resolveForge, resolveNeoForge } from './resolve-forge.ts'
import { wait } from './sleep.ts'
import { fetchSponge } from './spongedl.ts'
import { fetchSpongeForge } from './spongeforgedl.ts'
import { sendLine } from './stdin.ts'
import { fetchSteamGame } from './steamgamedl.ts'
import type { PreparedStep } from './step-context.ts'
import { writeFile } from './writefile.ts'

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
