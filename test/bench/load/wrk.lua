-- What wrk asks for: the lines of a file (requests.ts), one after the other, over and over. Prints one line of JSON at the end.
-- Without a function `response`, which would cost more than all the rest: wrk itself counts answers of 400 and more.

local requests = {}
local count, at = 0, 0

function init(args)
  -- The same line is formatted once: files repeat themselves.
  local formatted = {}
  for line in io.lines(args[1]) do
    if formatted[line] == nil then
      local path, key, body = line:match("^([^\t]*)\t([^\t]*)\t(.*)$")
      local headers = {}
      if key ~= "" then headers["X-Api-Key"] = key end
      if body == "" then
        formatted[line] = wrk.format("GET", path, headers)
      else
        headers["Content-Type"] = "application/json"
        formatted[line] = wrk.format("POST", path, headers, body)
      end
    end
    count = count + 1
    requests[count] = formatted[line]
  end
end

function request()
  at = at % count + 1
  return requests[at]
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    '\n{"answered":%d,"microseconds":%d,"refused":%d,"broken":%d,"p50":%d,"p99":%d}\n',
    summary.requests, summary.duration, errors.status, errors.connect + errors.read + errors.write + errors.timeout,
    latency:percentile(50), latency:percentile(99)
  ))
end
