import type { StepFields, StepType } from '@innkeeper/contract/definitions/operations'
import { runCommands } from './actions/command.ts'
import { pullImage, runContainerScript } from './actions/docker.ts'
import { backUpServer, countDownServer, powerServer, sayMessage, sendLine, wait } from './actions/server-steps.ts'
import type { PreparedStep } from './context/step-context.ts'
import { installModPack } from './downloads/curseforge.ts'
import { downloadFiles } from './downloads/download.ts'
import { fetchFabric } from './downloads/fabricdl.ts'
import { fetchForge, fetchNeoForge, resolveForge, resolveNeoForge } from './downloads/forge.ts'
import { fetchMinecraft } from './downloads/mojangdl.ts'
import { fetchPaper } from './downloads/paperdl.ts'
import { fetchJava, fetchNode } from './downloads/runtimes.ts'
import { fetchSponge, fetchSpongeForge } from './downloads/sponge.ts'
import { fetchSteamGame } from './downloads/steam.ts'
import { alterFile } from './files/alterfile.ts'
import { extractFiles, makeArchive } from './files/archives.ts'
import { editConfigFile } from './files/editconfig.ts'
import { makeFolder, moveFiles, writeFile } from './files/place-files.ts'

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
  countdown: countDownServer,
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
