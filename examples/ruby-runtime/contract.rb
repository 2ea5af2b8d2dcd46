# The function of the runtime contract (packages/invocation/test/runner-contract.ts), in Ruby.
$held = Queue.new

def handler(request, context)
  case request.path.split('/')[1]
  when 'text' then 'hi ü'
  when 'nothing' then nil
  when 'json' then { a: [1, 'ü'] }
  when 'bytes' then request.body
  when 'status' then [418, { 'x-a' => 'b' }, 'short']
  when 'stream' then %w[a b].each
  when 'throw' then raise 'secret'
  when 'trace' then context.traceparent || 'none'
  when 'wait'
    puts 'waiting'
    sleep
  when 'hold'
    puts 'holding'
    $held.pop # Nothing ever comes, but all who wait go on once it is closed.
    'held'
  when 'release'
    $held.close
    'released'
  when 'echo' then echo(request, context)
  end
end

def echo(request, context)
  {
    method: request.method, path: request.path, q: request.query['q'],
    header: request.headers['x-a'], body: request.body.force_encoding('UTF-8'),
    requestId: context.request_id, traceparent: context.traceparent,
    variable: ENV['CONTRACT'], function: context.function
  }
end
