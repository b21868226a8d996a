import { getText, portMax, type Variable, type Variables } from './variables.ts'

/** A variable that is the number of a port. */
export interface PortVariable {
  readonly name: string
  readonly variable: Variable
}

/**
 * The variables of a server that two servers of a node cannot both have, by name or title: `port`, `queryport`, `Query
 * port`. The main one is first.
 */
export function getPortVariables(data: Variables): readonly PortVariable[] {
  return Object.entries(data)
    .map(([name, variable]) => ({ name, variable }))
    .filter(({ name, variable }) => isNamedAsPort(name, variable) && isPort(getText(variable.value)))
    .toSorted((a, b) => Number(b.name === 'port') - Number(a.name === 'port'))
}

const isNamedAsPort = (name: string, variable: Variable): boolean =>
  isPortName(name) || (isPortTitle(variable.display ?? '') && variable.type !== 'boolean')

export const isPortName = (name: string): boolean => /port$/i.test(name)
/** Whether the title that users see ends in the word. */
export const isPortTitle = (title: string): boolean => /\bport$/i.test(title.trim())

/** The values of the port variables of a server, the main one first. */
export function getPorts(data: Variables): number[] {
  return getPortVariables(data).map(({ variable }) => Number(getText(variable.value)))
}

export function isPort(text: string): boolean {
  return /^\d{1,5}$/.test(text) && Number(text) >= 1 && Number(text) <= portMax
}
