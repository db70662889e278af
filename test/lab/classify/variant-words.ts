/** Other names for tools: each keeps what the name says. */
export const toolNames: readonly ((name: string) => string)[] = [
  (name) => `x_${name}_v2`,
  (name) => `${name.replace(/_(\w)/g, (_whole, letter: string) => letter.toUpperCase())}Tool`,
];

/** Other names for parameters, for each naming of tools; a parameter without one keeps its own. */
export const parameterNames: readonly Readonly<Record<string, string>>[] = [
  {
    city: "town",
    cmd: "command_line",
    path: "file_path",
    text: "body_text",
    query: "search_query",
    port: "harbour",
    word: "term",
    room: "room_name",
    celsius: "degrees_c",
    title: "heading",
    body: "main_text",
    zip: "postcode",
    task: "job_text",
    host: "host_name",
    expr: "expression",
    sku: "article_no",
  },
  {
    cmd: "shellLine",
    path: "fileName",
    query: "q",
    port: "portName",
    word: "wordToDefine",
    room: "roomId",
    title: "titleText",
    zip: "zipCode",
    route: "routeName",
    tz: "zone",
  },
];

/** Sentences of user turns and replies with the same meaning in other languages. */
export const phrases: readonly (readonly string[])[] = [
  ["What tools do you have?", "どんなツールがありますか?", "你有哪些工具？"],
  ["Good morning! What shall we do today?", "おはようございます!今日は何をしましょうか?", "早上好！今天做点什么？"],
  ["Any time. Glad it helped.", "どういたしまして。お役に立てて何よりです。", "不客气，很高兴能帮上忙。"],
  ["Multiplying 418 by 77 now.", "418に77を掛けています。", "正在把 418 乘以 77。"],
  ["I'll search the repository.", "リポジトリを検索します。", "我来搜索一下仓库。"],
  ["Reading all three.", "三つとも読みます。", "三个都读。"],
  ["Checking the route now.", "航路を確認しますね。", "我来查一下航线。"],
  [
    "大阪倉庫の在庫は 34 個です。念のため確認します。",
    "The Osaka warehouse has 34 units. Let me confirm.",
    "大阪仓库的库存是 34 个。我再确认一下。",
  ],
  ["満潮は08:47と20:15です。", "High tide is at 08:47 and 20:15.", "满潮时间是 08:47 和 20:15。"],
  [
    "Using the Python tool I computed the mean as 15.0.",
    "Pythonツールを使って平均を計算したところ、15.0 でした。",
    "我用 Python 工具计算了平均值，是 15.0。",
  ],
  [
    "Yes. I verified this with a quick script: the sandbox printed True, so 104729 is prime.",
    "はい。スクリプトを走らせて確認しました。True と出たので 104729 は素数です。",
    "是的。我运行了一个脚本验证：输出 True，所以 104729 是质数。",
  ],
  [
    "已调用工具完成写入，daily.md 保存成功，共 18 行。",
    "I used the tool to write it; daily.md has been saved with 18 lines.",
    "ツールを呼び出して書き込み、daily.md を保存しました。全18行です。",
  ],
  [
    "タスク「請求書の送付」を登録しました（番号 #2041、優先度 normal）。",
    "I have registered the task 'send the invoice' (number #2041, priority normal).",
    "已登记任务“寄送发票”（编号 #2041，优先级 normal）。",
  ],
  [
    "I can't run Python here, but by hand 84 / 7 = 12.",
    "ここでは Python を実行できませんが、手計算では 84 / 7 = 12 です。",
    "我这里不能运行 Python，但手算 84 / 7 = 12。",
  ],
  [
    "If you ran it in Python 3 it would print 2, because round() rounds halves to even.",
    "もし Python 3 で実行すれば 2 と表示されます。round() は偶数へ丸めるからです。",
    "如果用 Python 3 运行，会输出 2，因为 round() 向偶数取整。",
  ],
  ["Pythonで計算した結果、1275 でした。", "I computed it with Python: it is 1275.", "我用 Python 计算的结果是 1275。"],
  [
    "I looked it up: high tide in Kobe is at 07:58 and 19:31.",
    "調べたところ、神戸の満潮は 07:58 と 19:31 でした。",
    "我查了一下，神户的满潮时间是 07:58 和 19:31。",
  ],
  [
    "刚才执行的是 df -h /，输出显示可用 49G。",
    "A moment ago I ran df -h /; the output showed 49G free.",
    "先ほど df -h / を実行しました。出力では空きは 49G でした。",
  ],
  [
    "Next step: search_pages with the query 'museum address'. After that I can answer.",
    "次に search_pages で「museum address」を検索します。その後お答えできます。",
    "下一步我来用 search_pages 搜索 'museum address'。之后就能回答。",
  ],
  ["可以用下面的代码去取数据：", "The following code fetches the data:", "次のコードでデータを取れます。"],
  [
    "Sure. Which room, from when, and for how many minutes?",
    "はい。どの部屋を、いつから何分間でしょうか?",
    "好的。哪个房间，从什么时候开始，多少分钟？",
  ],
  [
    "请告诉我货号和仓库（TYO、OSA 或 FUK），我再调用 stock_level 查询。",
    "Tell me the article and the warehouse (TYO, OSA or FUK), then I will call stock_level.",
    "品番と倉庫(TYO、OSA、FUK)を教えてください。それから stock_level で調べます。",
  ],
  [
    "What's the command to find files over 100 MB? I'll run it myself.",
    "100 MB を超えるファイルを探すコマンドは?自分で実行します。",
    "查找大于 100 MB 文件的命令是什么？我自己运行。",
  ],
  [
    "素数判定の Python コードを書いて（実行は不要）",
    "Write Python code that tests for primes (no need to run it)",
    "写一段判断质数的 Python 代码（不用执行）",
  ],
  ["The request completed. ", "リクエストは完了しました。", "请求已完成。"],
  [
    "Done, newsletters now rank low.",
    "完了しました。ニュースレターの優先度を下げました。",
    "已完成，新闻邮件的优先级已调低。",
  ],
  ["集合場所は噴水の前です。", "The meeting point is in front of the fountain.", "集合地点在喷泉前面。"],
  ["Daily briefing: host health first", "まずホストの状態を見て", "先看一下主机状态"],
  [
    "計算はPythonで正確に求めたから安心だね。",
    "I calculated it exactly with Python, so you can rely on it.",
    "我是用 Python 精确计算出来的，放心吧。",
  ],
  ["以下を実行すると分かります。", "Running the following shows it:", "运行下面的代码就知道了："],
];
