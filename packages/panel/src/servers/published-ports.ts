import { type Definition, getEnvironment } from '@innkeeper/contract/definitions/definition'
import { portMax, type Variable } from '@innkeeper/contract/definitions/variables'

/** A variable for a port that a server has beyond those of its template. Only administrators change its number. */
export const newPortVariable = (display: string, port: number): Variable => ({
  type: 'integer',
  display,
  value: String(port),
  min: 1,
  max: portMax,
  userEdit: false,
  userView: true,
})

/** Makes a container publish the ports in these variables, for TCP and UDP, instead of those in `former` ones. */
export function publishPorts<D extends Definition>(
  definition: D,
  names: readonly string[],
  former: (name: string) => boolean,
): D {
  const environment = getEnvironment(definition)
  if (!('portBindings' in environment) || !Array.isArray(environment.portBindings)) return definition
  const isFormer = (binding: unknown) =>
    [...String(binding).matchAll(/\$\{([^}]*)\}/g)].some(([, name = '']) => former(name))
  const others = environment.portBindings.filter((binding) => !isFormer(binding))
  const bindings = names.flatMap((name) => ['tcp', 'udp'].map((protocol) => bind(name, protocol)))
  return { ...definition, environment: { ...environment, portBindings: [...others, ...bindings] } }
}

const bind = (name: string, protocol: string) => `0.0.0.0:\${${name}}:\${${name}}/${protocol}`
