import { maskValues } from '@innkeeper/contract/definitions/console-commands'
import type { Variables } from '@innkeeper/contract/definitions/variables'
import type { Console } from '../console/console.ts'

type UsedConsole = Pick<Console, 'say' | 'follow' | 'listen' | 'page'>

/** A console on which the node's own lines show no values that the users of the server may not see. */
export function maskedConsole(console: UsedConsole, variables: () => Variables): UsedConsole {
  return {
    say: (message) => console.say(maskValues(message, variables())),
    follow: (run, options) => console.follow(run, options),
    listen: (listener) => console.listen(listener),
    page: (before) => console.page(before),
  }
}
