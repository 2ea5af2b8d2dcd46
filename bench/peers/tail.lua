-- Tells the 99.9th percentile, which wrk does not print, and runs the script that says what is sent.
function init(arguments)
  if arguments[1] then
    dofile(arguments[1])
  end
end
function done(summary, latency)
  io.write(string.format("tail %.3f\n", latency:percentile(99.9) / 1000))
end
