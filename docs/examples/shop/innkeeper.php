<?php

declare(strict_types=1);

/**
 * An example of a module that sells servers of Innkeeper. It needs PHP 8.1 and none of its extensions but OpenSSL, which
 * https needs. The functions at the end have the form of the module functions of many billing systems: they get an array
 * of parameters and return the text "success" or what went wrong. Copy this file and adapt them to your shop.
 */

/** An answer of the panel that is an error, or no answer. */
final class InnkeeperError extends RuntimeException
{
    public function __construct(
        string $message,
        /** The code of the error, such as ErrNoNodeFits; empty without an answer. */
        public readonly string $errorCode = '',
        public readonly int $status = 0,
    ) {
        parent::__construct($message);
    }

    /** Whether the same call may succeed later: all calls can be repeated. */
    public function isTemporary(): bool
    {
        return $this->status === 0 || $this->status === 429 || $this->status >= 500 || $this->errorCode === 'ErrOrderBusy';
    }
}

/** The API of a panel, for the orders of one shop. */
final class Innkeeper
{
    private ?string $token = null;

    public function __construct(
        /** The address of the panel: https://panel.example.org */
        private readonly string $panel,
        private readonly string $clientId,
        private readonly string $clientSecret,
        /** A name of your choice, which must never change. */
        private readonly string $shop,
        /** Longer than the 30 seconds for which the panel lets a call wait for another one, and the time of a creation. */
        private readonly int $timeoutSeconds = 90,
    ) {
    }

    /**
     * Creates the server of an order, or changes its plan, or brings it back within the time of grace.
     *
     * @param array{email: string, username?: string} $owner
     * @param array<string, string|int|bool> $variables
     * @return array<string, mixed> the order
     */
    public function put(string $order, string $plan, array $owner, ?string $name = null, array $variables = []): array
    {
        $body = ['plan' => $plan, 'owner' => $owner];
        if ($name !== null && $name !== '') {
            $body['name'] = $name;
        }
        if ($variables !== []) {
            $body['variables'] = $variables;
        }
        return $this->callAgain('PUT', $this->path($order), $body);
    }

    /** @return array<string, mixed>|null the order; null when the panel does not know it */
    public function find(string $order): ?array
    {
        try {
            return $this->call('GET', $this->path($order));
        } catch (InnkeeperError $error) {
            if ($error->status === 404) {
                return null;
            }
            throw $error;
        }
    }

    /** @return array<string, mixed> the order */
    public function suspend(string $order, string $reason): array
    {
        return $this->callAgain('POST', $this->path($order, '/suspend'), ['reason' => $reason]);
    }

    /** @return array<string, mixed> the order */
    public function resume(string $order): array
    {
        return $this->callAgain('POST', $this->path($order, '/resume'));
    }

    /** Without days the server is kept for those of its plan. @return array<string, mixed> the order */
    public function end(string $order, ?int $graceDays = null): array
    {
        $query = $graceDays === null ? '' : '?graceDays=' . $graceDays;
        return $this->callAgain('DELETE', $this->path($order) . $query);
    }

    /** The address that signs the owner in, once and within 60 seconds: redirect the browser of the customer to it. */
    public function signInUrl(string $order): string
    {
        return rtrim($this->panel, '/') . $this->call('POST', $this->path($order, '/sign-in-link'))['path'];
    }

    private function path(string $order, string $action = ''): string
    {
        return '/api/external/' . rawurlencode($this->shop) . '/' . rawurlencode($order) . $action;
    }

    /** Repeats a call that may succeed later, twice. @return array<string, mixed> */
    private function callAgain(string $method, string $path, ?array $body = null): array
    {
        for ($attempt = 1; ; $attempt++) {
            try {
                return $this->call($method, $path, $body);
            } catch (InnkeeperError $error) {
                if ($attempt === 3 || !$error->isTemporary()) {
                    throw $error;
                }
                sleep($attempt);
            }
        }
    }

    /** @return array<string, mixed> */
    private function call(string $method, string $path, ?array $body = null): array
    {
        $isNewToken = $this->token === null;
        $this->token ??= $this->requestToken();
        $headers = ['Authorization: Bearer ' . $this->token];
        $content = '';
        if ($body !== null) {
            $headers[] = 'Content-Type: application/json';
            $content = json_encode($body, JSON_THROW_ON_ERROR | JSON_UNESCAPED_UNICODE);
        }
        try {
            return $this->request($method, $path, $headers, $content);
        } catch (InnkeeperError $error) {
            // A token is valid for an hour.
            if ($error->status !== 401 || $isNewToken) {
                throw $error;
            }
            $this->token = null;
            return $this->call($method, $path, $body);
        }
    }

    private function requestToken(): string
    {
        $content = http_build_query([
            'grant_type' => 'client_credentials',
            'client_id' => $this->clientId,
            'client_secret' => $this->clientSecret,
        ]);
        $type = 'Content-Type: application/x-www-form-urlencoded';
        return $this->request('POST', '/oauth2/token', [$type], $content)['access_token'];
    }

    /** @param list<string> $headers @return array<string, mixed> */
    private function request(string $method, string $path, array $headers, string $content): array
    {
        $context = stream_context_create(['http' => [
            'method' => $method,
            'header' => [...$headers, 'Accept: application/json', 'Connection: close'],
            'content' => $content,
            'timeout' => $this->timeoutSeconds,
            'ignore_errors' => true,
            'follow_location' => 0,
        ]]);
        $stream = @fopen(rtrim($this->panel, '/') . $path, 'rb', false, $context);
        if ($stream === false) {
            throw new InnkeeperError('The panel does not respond: ' . (error_get_last()['message'] ?? ''));
        }
        $text = stream_get_contents($stream);
        $state = stream_get_meta_data($stream);
        fclose($stream);
        preg_match('~^HTTP/\S+ (\d+)~', $state['wrapper_data'][0] ?? '', $found);
        $status = (int) ($found[1] ?? 0);
        if ($text === false || $state['timed_out']) {
            throw new InnkeeperError('The panel did not answer in time');
        }
        $answer = $text === '' ? [] : json_decode($text, true);
        if ($status >= 200 && $status < 300 && is_array($answer)) {
            return $answer;
        }
        throw $this->errorOf($answer, $status);
    }

    private function errorOf(mixed $answer, int $status): InnkeeperError
    {
        $error = is_array($answer) && is_array($answer['error'] ?? null) ? $answer['error'] : [];
        $message = (string) ($error['msg'] ?? 'The panel answered with status ' . $status);
        foreach ($error['metadata'] ?? [] as $name => $value) {
            $message = str_replace('${' . $name . '}', (string) $value, $message);
        }
        return new InnkeeperError($message, (string) ($error['code'] ?? ''), $status);
    }
}

/** @param array<string, mixed> $params */
function innkeeper_client(array $params): Innkeeper
{
    return new Innkeeper($params['panel'], $params['clientId'], $params['clientSecret'], $params['shop']);
}

/**
 * Runs one action of the shop. A server that the panel still creates is not a success: the shop runs the action again,
 * until the state is "active".
 *
 * @param callable(): array<string, mixed> $action returns the order
 * @param list<string> $states with which the action has succeeded
 */
function innkeeper_run(callable $action, array $states): string
{
    try {
        $order = $action();
    } catch (InnkeeperError $error) {
        return $error->errorCode === '' ? $error->getMessage() : $error->errorCode . ': ' . $error->getMessage();
    }
    if (in_array($order['state'], $states, true)) {
        return 'success';
    }
    return 'The order is ' . $order['state'] . ': ' . ($order['error']['message'] ?? 'try again later');
}

/** @param array<string, mixed> $params */
function innkeeper_CreateAccount(array $params): string
{
    $owner = ['email' => $params['email']];
    if (($params['username'] ?? '') !== '') {
        $owner['username'] = $params['username'];
    }
    $put = fn (): array => innkeeper_client($params)->put(
        $params['order'],
        $params['plan'],
        $owner,
        $params['name'] ?? null,
        $params['variables'] ?? [],
    );
    return innkeeper_run($put, ['active', 'suspended']);
}

/** The panel keeps owner, name and settings; only the plan changes. @param array<string, mixed> $params */
function innkeeper_ChangePackage(array $params): string
{
    return innkeeper_CreateAccount($params);
}

/** @param array<string, mixed> $params */
function innkeeper_SuspendAccount(array $params): string
{
    $reason = $params['reason'] ?? 'An invoice is not paid.';
    return innkeeper_run(fn (): array => innkeeper_client($params)->suspend($params['order'], $reason), ['suspended']);
}

/** @param array<string, mixed> $params */
function innkeeper_UnsuspendAccount(array $params): string
{
    return innkeeper_run(fn (): array => innkeeper_client($params)->resume($params['order']), ['active']);
}

/** @param array<string, mixed> $params */
function innkeeper_TerminateAccount(array $params): string
{
    $end = fn (): array => innkeeper_client($params)->end($params['order'], $params['graceDays'] ?? null);
    return innkeeper_run($end, ['ended', 'deleted']);
}

/** @param array<string, mixed> $params @return array{success: bool, redirectTo?: string, errorMsg?: string} */
function innkeeper_ServiceSingleSignOn(array $params): array
{
    try {
        return ['success' => true, 'redirectTo' => innkeeper_client($params)->signInUrl($params['order'])];
    } catch (InnkeeperError $error) {
        return ['success' => false, 'errorMsg' => $error->getMessage()];
    }
}
