import type { FastifyInstance } from 'fastify'
import type { AuditRecorder } from '../activity/audit-recorder.ts'
import type { RegisterFormRoute } from '../routing/route-context.ts'
import { getClientInfo } from './route-registrar.ts'

const formType = 'application/x-www-form-urlencoded'
const formBytes = 16 * 1024

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the route has a form body. */
    takesForm?: boolean
  }
}

/** Registers public endpoints with a form body and responses in the format of another specification. */
export function formRouteRegistrar(app: FastifyInstance, auditRecorder: AuditRecorder): RegisterFormRoute {
  app.addContentTypeParser(formType, { parseAs: 'string', bodyLimit: formBytes }, (request, text, done) => {
    done(null, request.routeOptions.config.takesForm === true ? new URLSearchParams(String(text)) : undefined)
  })

  return (call, handler) => {
    app.route({
      method: call.method,
      url: call.path,
      bodyLimit: formBytes,
      config: { access: call.access, takesForm: true },
      handler: async (request, reply) => {
        const form = request.body instanceof URLSearchParams ? request.body : undefined
        const { authorization } = request.headers
        const { address } = getClientInfo(request)
        const { status, body, headers = {}, failedAttempt } = await handler({ form, authorization, address })
        if (failedAttempt) {
          const auditEntry = auditRecorder(call, { principal: undefined, from: address })
          auditEntry?.setSubject({ target: failedAttempt.target })
          await auditEntry?.refused(failedAttempt.code)
        }
        reply.code(status).headers({ ...headers, 'cache-control': 'no-store', pragma: 'no-cache' })
        return reply.type('application/json; charset=utf-8').send(JSON.stringify(body))
      },
    })
  }
}
