-- SPDX-License-Identifier: Apache-2.0
-- wrk's requests for the small logs, one after the other. Argument: how many there are.

local count, number

function init(args)
  count, number = tonumber(args[1]), -1
end

function request()
  number = (number + 1) % count
  return wrk.format(nil, string.format("/small/%04d.txt", number))
end
